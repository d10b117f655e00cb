package peer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.BytesWritable;

/** Files written, read, searched, and their filters asked. */
final class Files {
    private static final HexFormat HEX = HexFormat.of();

    private Files() {}

    /**
     * {@code cells} to {@code path}. With {@code bloom}, a type of filter, a region server's writer
     * is used, else the plain one. {@code meta}: contents, in hex, of meta blocks by name.
     */
    static Map<String, Object> write(Order order) throws IOException {
        Settings set = new Settings(order);
        List<KeyValue> cells = Cells.read(order.text("cells"));
        write(order, set, cells, new Path(order.text("path")));
        return Map.of("cells", cells.size());
    }

    static void write(Order order, Settings set, List<KeyValue> cells, Path path) throws IOException {
        if (order.containsKey("bloom")) {
            StoreFileWriter writer = new StoreFileWriter.Builder(
                            set.conf, CacheConfig.DISABLED, set.files)
                    .withFilePath(path)
                    .withBloomType(BloomType.valueOf(order.text("bloom")))
                    .withMaxKeyCount(cells.size())
                    .withFileContext(set.context())
                    .build();
            for (KeyValue cell : cells) {
                writer.append(cell);
            }
            writer.appendMetadata(1, false);
            writer.close();
            return;
        }
        HFile.Writer writer = HFile.getWriterFactory(set.conf, CacheConfig.DISABLED)
                .withPath(set.files, path)
                .withFileContext(set.context())
                .create();
        for (KeyValue cell : cells) {
            writer.append(cell);
        }
        if (order.get("meta") instanceof Map<?, ?> meta) {
            meta.forEach((name, content) ->
                    writer.appendMetaBlock((String) name, new Raw(HEX.parseHex((String) content))));
        }
        writer.close();
    }

    /** Every cell of {@code path} to {@code cells}, and what else there is in the file. */
    static Map<String, Object> dump(Order order) throws IOException {
        HFile.getAndResetChecksumFailuresCount();
        Map<String, Object> answer = new LinkedHashMap<>();
        try (HFile.Reader reader = open(order); var out = Cells.to(order.text("cells"))) {
            HFileScanner scanner = reader.getScanner(conf(order), false, false);
            int cells = 0;
            if (scanner.seekTo()) {
                do {
                    Cells.put(out, scanner.getCell());
                    cells++;
                } while (scanner.next());
            }
            answer.put("cells", cells);
            answer.put("entries", reader.getEntries());
            answer.put("levels", reader.getTrailer().getNumDataIndexLevels());
            answer.put("codec", reader.getTrailer().getCompressionCodec().name());
            answer.put("encoding", reader.getDataBlockEncoding().name());
            if (cells > 0) { // asked for the middle of nothing, HBase fails
                reader.midKey().ifPresent(key -> answer.put("mid_key", hex(key)));
            }
            reader.getFirstKey().ifPresent(key -> answer.put("first_key", hex(key)));
            reader.getLastKey().ifPresent(key -> answer.put("last_key", hex(key)));
            Map<String, String> info = new LinkedHashMap<>();
            reader.getHFileInfo().forEach((name, value) ->
                    info.put(Bytes.toStringBinary(name), HEX.formatHex(value)));
            answer.put("file_info", info);
            Map<String, Object> meta = new LinkedHashMap<>();
            for (String name : order.texts("meta")) {
                var block = reader.getMetaBlock(name, false);
                meta.put(name, block == null ? null : hex(block));
            }
            answer.put("meta", meta);
        }
        answer.put("checksum_failures", HFile.getAndResetChecksumFailuresCount());
        return answer;
    }

    /** For each of {@code keys}, serialized and in hex: what seekTo answers, and where it stands. */
    static Map<String, Object> seek(Order order) throws IOException {
        List<Object> answers = new ArrayList<>();
        try (HFile.Reader reader = open(order)) {
            HFileScanner scanner = reader.getScanner(conf(order), false, true);
            for (String key : order.texts("keys")) {
                byte[] raw = HEX.parseHex(key);
                int code = scanner.seekTo(new KeyValue.KeyOnlyKeyValue(raw, 0, raw.length));
                Cell cell = code < 0 && !scanner.isSeeked() ? null : scanner.getKey();
                answers.add(cell == null ? List.of(code) : List.of(code, hex(cell)));
            }
        }
        return Map.of("answers", answers);
    }

    /**
     * For each of {@code keys}, in hex: whether it passes the filter. {@code of}: general or
     * delete_family. For ROWCOL a key is a serialized cell key, else what the filter holds.
     */
    static Map<String, Object> bloom(Order order) throws IOException {
        try (HFile.Reader reader = open(order)) {
            boolean general = "general".equals(order.text("of", "general"));
            var meta = general
                    ? reader.getGeneralBloomFilterMetadata()
                    : reader.getDeleteBloomFilterMetadata();
            if (meta == null) {
                throw new IllegalArgumentException("the file has no such filter");
            }
            BloomFilter filter = BloomFilterFactory.createFromMeta(meta, reader);
            byte[] named = reader.getHFileInfo().get(Bytes.toBytes("BLOOM_FILTER_TYPE"));
            BloomType type = general && named != null
                    ? BloomType.valueOf(Bytes.toString(named)) : BloomType.ROW;
            List<Boolean> answers = new ArrayList<>();
            for (String key : order.texts("keys")) {
                byte[] raw = HEX.parseHex(key);
                answers.add(type == BloomType.ROWCOL
                        ? filter.contains(new KeyValue.KeyOnlyKeyValue(raw, 0, raw.length), null, type)
                        : filter.contains(raw, 0, raw.length, null));
            }
            return Map.of("type", type.name(), "printed", filter.toString(), "answers", answers);
        }
    }

    private static org.apache.hadoop.conf.Configuration conf(Order order) throws IOException {
        return new Settings(order).conf;
    }

    private static HFile.Reader open(Order order) throws IOException {
        Settings set = new Settings(order);
        return HFile.createReader(
                set.files, new Path(order.text("path")), CacheConfig.DISABLED, true, set.conf);
    }

    private static String hex(Cell key) {
        return HEX.formatHex(org.apache.hadoop.hbase.PrivateCellUtil.getCellKeySerializedAsKeyValueKey(key));
    }

    private static String hex(org.apache.hadoop.hbase.io.hfile.HFileBlock block) {
        var bytes = block.getBufferWithoutHeader();
        byte[] content = new byte[bytes.remaining()];
        bytes.get(content);
        return HEX.formatHex(content);
    }

    /** Bytes that write themselves without the length that BytesWritable puts before them. */
    private static final class Raw extends BytesWritable {
        private Raw(byte[] content) {
            super(content);
        }

        @Override
        public void write(java.io.DataOutput out) throws IOException {
            out.write(getBytes(), 0, getLength());
        }
    }
}
