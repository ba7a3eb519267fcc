package dev.tidemark.common;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Up to {@value #CAPACITY} ids packed as the store and its changelog hold them, {@value #WIDTH} bytes each.
 *
 * @param bytes the ids one after the other
 */
record IdBlock(byte[] bytes) {

    static final int CAPACITY = 256;
    static final int WIDTH = 32;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int LOW = 8;
    private static final int CONTENT = 16;
    private static final int PLACE = 24;
    private static final int PARTITION_SHIFT = 44;

    static IdBlock ofSize(int ids) {
        return new IdBlock(new byte[ids * WIDTH]);
    }

    int size() {
        return bytes.length / WIDTH;
    }

    SeenId get(int index) {
        long place = read(index, PLACE);
        return new SeenId(
                high(index),
                low(index),
                read(index, CONTENT),
                (int) (place >>> PARTITION_SHIFT),
                place & (1L << PARTITION_SHIFT) - 1);
    }

    void set(int index, SeenId id) {
        write(index, 0, id.high());
        write(index, LOW, id.low());
        write(index, CONTENT, id.content());
        write(index, PLACE, (long) id.partition() << PARTITION_SHIFT | id.offset());
    }

    void copy(int index, IdBlock to, int toIndex) {
        System.arraycopy(bytes, index * WIDTH, to.bytes, toIndex * WIDTH, WIDTH);
    }

    long high(int index) {
        return read(index, 0);
    }

    long low(int index) {
        return read(index, LOW);
    }

    boolean isAt(int index, SeenId id) {
        return high(index) == id.high() && low(index) == id.low();
    }

    /** What stands here under the hash of the given id, or null. */
    SeenId find(SeenId sought) {
        for (int index = 0; index < size(); index++) {
            if (isAt(index, sought)) {
                return get(index);
            }
        }
        return null;
    }

    private long read(int index, int field) {
        return (long) LONG.get(bytes, index * WIDTH + field);
    }

    private void write(int index, int field, long value) {
        LONG.set(bytes, index * WIDTH + field, value);
    }
}
