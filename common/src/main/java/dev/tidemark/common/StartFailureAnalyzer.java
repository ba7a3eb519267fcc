package dev.tidemark.common;

import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionFailedException;

/** Says in one sentence why an app does not start: a refusal, or a setting that cannot be. */
final class StartFailureAnalyzer implements FailureAnalyzer, Ordered {

    private static final String ROOT = "tidemark.";

    @Override
    public FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StartRefusedException) {
                return new FailureAnalysis(cause.getMessage(), null, failure);
            }
            if (cause instanceof ConfigException) {
                return new FailureAnalysis(
                        "A setting under spring.kafka is wrong: " + cause.getMessage() + ".", null, failure);
            }
            if (cause instanceof BindException bind && bind.getName().toString().startsWith(ROOT)) {
                String sentence = sentence(bind);
                return sentence == null ? null : new FailureAnalysis(sentence, null, failure);
            }
        }
        return null;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    private static String sentence(BindException bind) {
        for (Throwable cause = bind.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                return unbound.getUnboundProperties().stream()
                                .map(StartFailureAnalyzer::nameAndPlace)
                                .collect(Collectors.joining(", "))
                        + " is not a setting of this app; correct or remove it.";
            }
            if (cause instanceof ConversionFailedException conversion) {
                return nameAndPlace(bind.getProperty()) + " is \"" + conversion.getValue() + "\", which is not a "
                        + conversion.getTargetType().getType().getSimpleName() + ".";
            }
        }
        Throwable root = bind;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (!(root instanceof IllegalArgumentException)) {
            return null;
        }
        String message = root.getMessage();
        return (message.startsWith(ROOT) ? "" : bind.getName() + ".") + message + ".";
    }

    private static String nameAndPlace(ConfigurationProperty property) {
        return property.getName() + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")");
    }
}
