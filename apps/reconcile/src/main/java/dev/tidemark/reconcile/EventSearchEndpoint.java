package dev.tidemark.reconcile;

import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Answers where an event lies in the inputs, as JSON. */
@RestController
@ConditionalOnWebApplication
class EventSearchEndpoint {

    private final EventSearch search;

    EventSearchEndpoint(EventSearch search) {
        this.search = search;
    }

    /** @param id the id of the event, exactly */
    @GetMapping("/events")
    EventSearch.Answer find(@RequestParam String id) {
        return search.find(id);
    }
}
