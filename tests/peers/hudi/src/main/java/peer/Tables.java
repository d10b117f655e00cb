package peer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieMetadataColumnStats;
import org.apache.hudi.client.HoodieJavaWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieJavaEngineContext;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.HoodieTableVersion;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieIndexConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.index.HoodieIndex;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.apache.hudi.table.upgrade.JavaUpgradeDowngradeHelper;
import org.apache.hudi.table.upgrade.UpgradeDowngrade;

/** Tables that Hudi writes, and what it says of them. */
final class Tables {
    static final String VERSION = HoodieTableMetaClient.class.getPackage().getImplementationVersion();

    private static final Schema SCHEMA = new Schema.Parser().parse(
            """
            {"type": "record", "name": "row", "fields": [
              {"name": "key", "type": "string"},
              {"name": "part", "type": "string"},
              {"name": "number", "type": "long"},
              {"name": "text", "type": ["null", "string"], "default": null}
            ]}
            """);

    private Tables() {}

    static Map<String, Object> create(Order order) throws Exception {
        HoodieTableMetaClient.newTableBuilder()
                .setTableType(order.text("type"))
                .setTableName("t")
                .setTableVersion(order.number("version", 9))
                .setRecordKeyFields("key")
                .setPartitionFields("part")
                .setOrderingFields("number")
                .initTable(storage(), order.text("path"));
        return Map.of();
    }

    static Map<String, Object> upsert(Order order) {
        try (var client = client(order)) {
            List<HoodieRecord<Object>> records = new ArrayList<>();
            for (String key : order.texts("keys")) {
                String part = "p" + Math.floorMod(key.hashCode(), 2);
                GenericRecord row = new GenericData.Record(SCHEMA);
                row.put("key", key);
                row.put("part", part);
                row.put("number", (long) order.number("number", 0));
                row.put("text", order.text("text", null));
                @SuppressWarnings({"unchecked", "rawtypes"})
                HoodieRecord<Object> record =
                        (HoodieRecord) new HoodieAvroIndexedRecord(new HoodieKey(key, part), row);
                records.add(record);
            }
            String instant = client.startCommit();
            List<WriteStatus> written = client.upsert(records, instant);
            if (!client.commit(instant, written)) {
                throw new IllegalStateException("not committed: " + instant);
            }
            return Map.of("instant", instant);
        }
    }

    static Map<String, Object> savepoint(Order order) {
        try (var client = client(order)) {
            client.savepoint(order.text("instant"), "a user", "a test");
            return Map.of();
        }
    }

    static Map<String, Object> restore(Order order) {
        try (var client = client(order)) {
            client.restoreToSavepoint(order.text("instant"));
            return Map.of();
        }
    }

    static Map<String, Object> rollback(Order order) {
        try (var client = client(order)) {
            return Map.of("done", client.rollback(order.text("instant")));
        }
    }

    static Map<String, Object> upgrade(Order order) {
        HoodieTableMetaClient meta = meta(order);
        new UpgradeDowngrade(meta, config(order), context(), JavaUpgradeDowngradeHelper.getInstance())
                .run(HoodieTableVersion.fromVersionCode(order.number("to", 9)), null);
        return Map.of();
    }

    static Map<String, Object> slices(Order order) {
        HoodieTableMetaClient meta = meta(order);
        var found = new TreeMap<String, Object>();
        var listing = HoodieMetadataConfig.newBuilder().enable(false).build();
        try (var view = FileSystemViewManager.createInMemoryFileSystemView(context(), meta, listing)) {
            for (String part : order.texts("partitions")) {
                List<Object> slices = new ArrayList<>();
                view.getLatestFileSlices(part).forEach(each -> {
                    var slice = new HashMap<String, Object>();
                    slice.put("file_id", each.getFileId());
                    slice.put("base", each.getBaseFile().isPresent() ? each.getBaseFile().get().getFileName() : null);
                    slice.put("logs", each.getLogFiles().map(HoodieLogFile::getFileName).sorted().toList());
                    slices.add(slice);
                });
                found.put(part, slices);
            }
        }
        return found;
    }

    static Map<String, Object> files(Order order) throws Exception {
        var found = new TreeMap<String, Object>();
        try (HoodieTableMetadata metadata = metadata(order)) {
            for (String part : order.texts("partitions")) {
                var sizes = new TreeMap<String, Object>();
                var folder = new StoragePath(order.text("path"), part);
                metadata.getAllFilesInPartition(folder).forEach(each ->
                        sizes.put(each.getPath().getName(), each.getLength()));
                found.put(part, sizes);
            }
        }
        return found;
    }

    static Map<String, Object> statistics(Order order) throws Exception {
        var found = new TreeMap<String, Object>();
        try (HoodieTableMetadata metadata = metadata(order)) {
            List<Pair<String, String>> places = new ArrayList<>();
            for (String part : order.texts("partitions")) {
                order.texts("files").forEach(name -> places.add(Pair.of(part, name)));
            }
            for (String column : order.texts("columns")) {
                Map<Pair<String, String>, HoodieMetadataColumnStats> stats =
                        metadata.getColumnStats(places, column);
                stats.forEach((place, each) -> found.put(place.getLeft() + "/" + place.getRight() + "/" + column, Map.of(
                        "min", plain(each.getMinValue()),
                        "max", plain(each.getMaxValue()),
                        "values", each.getValueCount(),
                        "nulls", each.getNullCount())));
            }
        }
        return found;
    }

    /** The value in its wrapper, a record of one field. */
    private static String plain(Object wrapped) {
        return String.valueOf(((IndexedRecord) wrapped).get(0));
    }

    private static HoodieJavaWriteClient<Object> client(Order order) {
        return new HoodieJavaWriteClient<>(context(), config(order));
    }

    private static HoodieWriteConfig config(Order order) {
        Properties properties = new Properties();
        properties.setProperty("hoodie.memory.dfs.buffer.max.size", "65536");
        properties.setProperty("hoodie.write.table.version", "" + order.number("to", order.number("version", 9)));
        properties.setProperty("hoodie.write.auto.upgrade", "" + order.containsKey("to"));
        return HoodieWriteConfig.newBuilder()
                .withProperties(properties)
                .withPath(order.text("path"))
                .withSchema(SCHEMA.toString())
                .withParallelism(1, 1)
                .forTable("t")
                .withEmbeddedTimelineServerEnabled(false)
                .withIndexConfig(HoodieIndexConfig.newBuilder().withIndexType(HoodieIndex.IndexType.SIMPLE).build())
                .withMetadataConfig(HoodieMetadataConfig.newBuilder().enable(true).withMetadataIndexColumnStats(true).build())
                .build();
    }

    private static HoodieTableMetadata metadata(Order order) {
        HoodieTableMetaClient meta = meta(order);
        var with = HoodieMetadataConfig.newBuilder().enable(true).withMetadataIndexColumnStats(true).build();
        return meta.getTableFormat().getMetadataFactory()
                .create(context(), meta.getStorage(), with, order.text("path"));
    }

    private static HoodieTableMetaClient meta(Order order) {
        return HoodieTableMetaClient.builder().setConf(storage()).setBasePath(order.text("path")).build();
    }

    private static HoodieJavaEngineContext context() {
        return new HoodieJavaEngineContext(storage());
    }

    private static StorageConfiguration<Configuration> storage() {
        Configuration conf = new Configuration();
        conf.set("fs.file.impl", LocalFiles.class.getName());
        conf.set("hoodie.memory.dfs.buffer.max.size", "65536");
        return new HadoopStorageConfiguration(conf);
    }
}
