package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointerTreeTest {

    @Test
    void pointersWithTheSameBeginningShareIt() {
        PointerTree tree = PointerTree.of(List.of("/order/id", "/order/lines/0/sku", "/order/id"));

        assertThat(tree.child("order").child("id").targets()).containsExactly(0, 2);
        assertThat(tree.child("order").child("lines").child(0).child("sku").targets())
                .containsExactly(1);
        assertThat(tree.child("id")).isNull();
    }

    @Test
    void aNumberNamesAnElementOrAField() {
        PointerTree lines = PointerTree.of(List.of("/lines/1")).child("lines");

        assertThat(lines.child(1)).isSameAs(lines.child("1")).isNotNull();
        assertThat(lines.child(0)).isNull();
    }

    @Test
    void aNumberWithALeadingZeroNamesNoElement() {
        PointerTree lines = PointerTree.of(List.of("/01", "/-", "/99999999999"));

        assertThat(lines.child(1)).isNull();
        assertThat(lines.child("01")).isNotNull();
        assertThat(lines.child("-")).isNotNull();
    }

    @Test
    void tildesAreUnescapedAsInRfc6901() {
        PointerTree tree = PointerTree.of(List.of("/a~1b", "/m~0n", "/~01", "/", "/ "));

        assertThat(List.of("a/b", "m~n", "~1", "", " "))
                .allSatisfy(name -> assertThat(tree.child(name)).isNotNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "/a/0", "/a~0b/~1", "/\u65e5\u672c", "/a//b"})
    void aPointerIsValid(String pointer) {
        assertThat(PointerTree.fault(pointer)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "", "#/a", "/~", "/a~2", "/a~", "/\n~"})
    void aFaultyPointerIsFound(String pointer) {
        assertThat(PointerTree.fault(pointer)).isNotNull();
    }
}
