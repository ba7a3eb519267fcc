package dev.tidemark.console;

import dev.tidemark.common.StartRefusedException;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;
import org.springframework.security.web.authentication.www.BasicAuthenticationEntryPoint;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;

/**
 * Who may read: everybody on this machine, or those who know the password. Without a password the console listens on
 * the loopback address only and answers only to its names, so that no page of another site can read it through a name
 * that it has pointed here.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

    private static final String REALM = "Tidemark console";
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    @Bean
    SecurityFilterChain security(HttpSecurity http, ConsoleProperties settings, ServerProperties server) {
        String refusal = settings.refusal(server.getAddress());
        if (refusal != null) {
            throw new StartRefusedException(refusal);
        }
        if (settings.password() == null) {
            http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll());
        } else {
            http.authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                            .permitAll()
                            // Whatever lies there is for everybody.
                            .requestMatchers("/login", "/static/**")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .formLogin(form -> form.loginPage("/login").defaultSuccessUrl("/"))
                    .logout(logout -> logout.logoutSuccessUrl("/login"))
                    .httpBasic(basic -> basic.realmName(REALM))
                    // Programs are told to send a password, people are shown where to type it.
                    .exceptionHandling(errors -> errors.authenticationEntryPoint(entryPoint()));
        }
        return http.csrf(csrf -> csrf.csrfTokenRepository(new CookieCsrfTokenRepository()))
                .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(POLICY))
                        .frameOptions(frames -> frames.deny())
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.SAME_ORIGIN)))
                .build();
    }

    private static AuthenticationEntryPoint entryPoint() {
        BasicAuthenticationEntryPoint programs = new BasicAuthenticationEntryPoint();
        programs.setRealmName(REALM);
        LoginUrlAuthenticationEntryPoint people = new LoginUrlAuthenticationEntryPoint("/login");
        return (request, response, refusal) ->
                (isForPrograms(request.getServletPath()) ? programs : people).commence(request, response, refusal);
    }

    /** They would take the page to log in for an answer. */
    private static boolean isForPrograms(String path) {
        return path.startsWith("/api/") || path.startsWith("/actuator/");
    }

    @Bean
    HttpFirewall firewall(ConsoleProperties settings) {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        if (settings.password() == null) {
            firewall.setAllowedHostnames(settings.hosts()::contains);
        }
        return firewall;
    }

    @Bean
    PasswordEncoder passwords() {
        return PasswordEncoderFactories.createDelegatingPasswordEncoder();
    }

    @Bean
    UserDetailsService users(ConsoleProperties settings, PasswordEncoder passwords) {
        String password = settings.password();
        if (password == null) {
            return new InMemoryUserDetailsManager();
        }
        String hash = password.startsWith("{bcrypt}") ? password : passwords.encode(password);
        return new InMemoryUserDetailsManager(
                User.withUsername(settings.user()).password(hash).build());
    }
}
