package peer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * Times of one thread, in seconds, after {@code warm} rounds for the compiler: median and best of
 * {@code rounds}, and {@code cpu}, the median of what the thread itself was running.
 */
final class Bench {
    private Bench() {}

    private interface Round {
        long run() throws IOException;
    }

    /** All cells of {@code path}, each handed out; the file is opened anew in each round. */
    static Map<String, Object> scan(Order order) throws IOException {
        Settings set = new Settings(order);
        Path path = new Path(order.text("path"));
        return timed(order, () -> {
            long bytes = 0;
            try (HFile.Reader reader =
                    HFile.createReader(set.files, path, CacheConfig.DISABLED, true, set.conf)) {
                HFileScanner scanner = reader.getScanner(set.conf, false, false);
                for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
                    Cell cell = scanner.getCell();
                    bytes += cell.getRowLength() + cell.getValueLength();
                }
            }
            return bytes;
        });
    }

    /**
     * {@code keys}, serialized and in hex, each sought by itself with one scanner, and its value's
     * length taken. {@code cache}: bytes of a block cache that is kept from round to round, 0 for none.
     */
    static Map<String, Object> get(Order order) throws IOException {
        Settings set = new Settings(order);
        List<KeyValue.KeyOnlyKeyValue> keys = new ArrayList<>();
        for (String key : order.texts("keys")) {
            byte[] raw = HexFormat.of().parseHex(key);
            keys.add(new KeyValue.KeyOnlyKeyValue(raw, 0, raw.length));
        }
        int size = order.number("cache", 0);
        LruBlockCache blocks = size == 0 ? null : new LruBlockCache(size, 65536);
        CacheConfig cache = size == 0
                ? CacheConfig.DISABLED
                : new CacheConfig(set.conf, null, blocks, ByteBuffAllocator.HEAP);
        try (HFile.Reader reader = HFile.createReader(
                set.files, new Path(order.text("path")), cache, true, set.conf)) {
            return timed(order, () -> {
                HFileScanner scanner = reader.getScanner(set.conf, size != 0, true);
                long found = 0;
                for (KeyValue.KeyOnlyKeyValue key : keys) {
                    if (scanner.seekTo(key) == 0) {
                        found += scanner.getCell().getValueLength() >= 0 ? 1 : 0;
                    }
                }
                scanner.close();
                return found;
            });
        } finally {
            if (blocks != null) {
                blocks.shutdown();
            }
        }
    }

    /** {@code cells} to {@code path}, over and over; reading and making them is not timed. */
    static Map<String, Object> write(Order order) throws IOException {
        Settings set = new Settings(order);
        List<KeyValue> cells = Cells.read(order.text("cells"));
        Path path = new Path(order.text("path"));
        return timed(order, () -> {
            Files.write(order, set, cells, path);
            return cells.size();
        });
    }

    private static Map<String, Object> timed(Order order, Round round) throws IOException {
        long sum = 0;
        for (int i = order.number("warm", 10); i > 0; i--) {
            sum = round.run();
        }
        List<Double> times = new ArrayList<>();
        List<Double> busy = new ArrayList<>();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int i = order.number("rounds", 7); i > 0; i--) {
            long start = System.nanoTime();
            long used = threads.getCurrentThreadCpuTime();
            sum = round.run();
            busy.add((threads.getCurrentThreadCpuTime() - used) / 1e9);
            times.add((System.nanoTime() - start) / 1e9);
        }
        double first = times.get(0);
        Collections.sort(times);
        Collections.sort(busy);
        int middle = times.size() / 2;
        return Map.of(
                "median", times.get(middle), "best", times.get(0), "first", first,
                "cpu", busy.get(middle), "sum", sum);
    }
}
