package dev.tidemark.reconcile;

import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.TotalsProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.FileSystemResource;

/**
 * The pipelines that can be recounted, with the settings of their own apps.
 *
 * @param targets what can be recounted of them
 */
record Pipelines(List<Target> targets) {

    /**
     * Reads them.
     *
     * @param files settings files of the apps; none: the environment has the settings of one
     * @throws CouldNotTellException if a file cannot be read
     */
    static Pipelines of(List<Path> files, Environment environment) {
        List<Target> targets = new ArrayList<>();
        if (files.isEmpty()) {
            bind(Binder.get(environment), targets);
        }
        for (Path file : files) {
            try {
                // Of several documents the last one wins, as in Spring; names in ${…} may be of the environment.
                MutablePropertySources yaml = new MutablePropertySources();
                new YamlPropertySourceLoader()
                        .load(file.toString(), new FileSystemResource(file))
                        .forEach(yaml::addFirst);
                MutablePropertySources all = new MutablePropertySources(yaml);
                if (environment instanceof ConfigurableEnvironment more) {
                    more.getPropertySources().forEach(all::addLast);
                }
                bind(
                        new Binder(
                                ConfigurationPropertySources.from(yaml),
                                new PropertySourcesPlaceholdersResolver(all),
                                ApplicationConversionService.getSharedInstance()),
                        targets);
            } catch (IOException e) {
                throw new CouldNotTellException(
                        "The settings " + file + " cannot be read (" + e.getMessage() + "); correct"
                                + " tidemark.reconcile.pipelines.",
                        e);
            }
        }
        if (targets.isEmpty()) {
            throw new CouldNotTellException("There is no pipeline to recount; name the settings of its app with"
                    + " tidemark.reconcile.pipelines or --spring.config.additional-location.");
        }
        return new Pipelines(List.copyOf(targets));
    }

    private static void bind(Binder binder, List<Target> targets) {
        binder.bind("tidemark.totals", Bindable.of(TotalsProperties.class))
                .ifBound(settings -> targets.add(Target.of(settings)));
        binder.bind("tidemark.pairs", Bindable.of(PairsProperties.class))
                .ifBound(settings -> targets.add(Target.of(settings)));
    }
}
