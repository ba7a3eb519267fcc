package dev.tidemark.console;

import dev.tidemark.console.ReconciliationQueries.Run;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Does it add up? The ledger of each pipeline, and what the last recount found. */
@Controller
class LedgerPage {

    private static final int ROWS = 20;

    private final LedgerQueries ledger;
    private final ReconciliationQueries reconciliation;
    private final Amounts amounts;

    LedgerPage(LedgerQueries ledger, ReconciliationQueries reconciliation, Amounts amounts) {
        this.amounts = amounts;
        this.ledger = ledger;
        this.reconciliation = reconciliation;
    }

    @GetMapping("/ledger")
    String ledger(@RequestParam(required = false) String pipeline, Model model) {
        List<Dispositions> all = ledger.byPipeline();
        String chosen =
                Choice.of(pipeline, all.stream().map(Dispositions::pipeline).toList(), ledger.busiest());
        // What does not add up stands first, where it is seen on a narrow screen, too.
        model.addAttribute(
                "all",
                all.stream()
                        .sorted(Comparator.comparing(Dispositions::isBalanced))
                        .toList());
        model.addAttribute("pipeline", chosen);
        model.addAttribute("reconciled", reconciliation.isInstalled());
        if (chosen != null) {
            Dispositions sum = all.stream()
                    .filter(sides -> sides.pipeline().equals(chosen))
                    .findFirst()
                    .orElseThrow();
            model.addAttribute("sum", sum);
            model.addAttribute("money", amounts.has(chosen));
            model.addAttribute("flow", Flow.of(sum));
            model.addAttribute("partitions", ledger.byPartition(chosen));
            model.addAttribute("refused", ledger.refusedChanges(chosen, ROWS));
            addReconciliation(chosen, model);
        }
        return "ledger";
    }

    private void addReconciliation(String pipeline, Model model) {
        if (reconciliation.isInstalled()) {
            Run run = reconciliation.lastRun(pipeline).orElse(null);
            model.addAttribute("run", run);
            model.addAttribute("breaks", reconciliation.breaks(pipeline, null, null, ROWS));
        }
    }
}
