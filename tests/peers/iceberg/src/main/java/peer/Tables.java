package peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SingleValueParser;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.rest.CatalogServer;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Tables whose metadata is written and read; only {@link #read} needs their data files. */
final class Tables {
    private static final Map<String, BaseTable> TABLES = new HashMap<>();
    private static CatalogServer server;

    private Tables() {}

    /** Makes a table: folder, schema, spec, version. */
    static Map<String, Object> create(JsonNode order) {
        String folder = order.get("folder").asText();
        Schema schema = SchemaParser.fromJson(order.get("schema"));
        PartitionSpec spec = PartitionSpecParser.fromJson(schema, order.get("spec"));
        Map<String, String> properties = Map.of(
                "format-version", order.get("version").asText(),
                "write.metadata.metrics.default", "full");
        LocalOperations operations = new LocalOperations(folder);
        operations.commit(
                null,
                TableMetadata.newTableMetadata(
                        schema, spec, SortOrder.unsorted(), folder, properties));
        TABLES.put(folder, new BaseTable(operations, "t"));
        return state(order);
    }

    /** Takes over a table of another writer: folder, metadata. */
    static Map<String, Object> open(JsonNode order) {
        String folder = order.get("folder").asText();
        var operations = new LocalOperations(folder, order.get("metadata").asText());
        TABLES.put(folder, new BaseTable(operations, "t"));
        return state(order);
    }

    /** Starts a REST catalog of tables below a folder; a later one takes its place. */
    static Map<String, Object> serve(JsonNode order) throws Exception {
        if (server != null) {
            server.stop();
        }
        server = new CatalogServer(order.get("warehouse").asText(), new LocalFiles());
        return Map.of("port", server.port());
    }

    /** Takes over a table of the REST catalog, as it is now: folder, table. */
    static Map<String, Object> load(JsonNode order) {
        TABLES.put(order.get("folder").asText(), server.load(order.get("table").asText()));
        return state(order);
    }

    /** Changes the schema: drop, rename and promote, in this order. */
    static Map<String, Object> alter(JsonNode order) {
        Table table = table(order);
        UpdateSchema update = table.updateSchema().allowIncompatibleChanges();
        order.path("drop").forEach(each -> update.deleteColumn(each.asText()));
        order.path("rename").properties().forEach(
                each -> update.renameColumn(each.getKey(), each.getValue().asText()));
        order.path("promote").properties().forEach(each -> update.updateColumn(
                each.getKey(), Types.fromPrimitiveString(each.getValue().asText())));
        order.path("add").properties().forEach(each -> update.addColumn(
                each.getKey(), Types.fromPrimitiveString(each.getValue().asText())));
        update.commit();
        return state(order);
    }

    /** Changes the partitioning: remove, by names, and add, by name, source and transform. */
    static Map<String, Object> respec(JsonNode order) {
        Table table = table(order);
        UpdatePartitionSpec update = table.updateSpec();
        order.path("remove").forEach(each -> update.removeField(each.asText()));
        order.path("add").forEach(each -> update.addField(
                each.get("name").asText(),
                Expressions.transform(
                        each.get("source").asText(),
                        Transforms.fromString(each.get("transform").asText()))));
        update.commit();
        return state(order);
    }

    /** Commits files: append, deletes, remove (by path). */
    static Map<String, Object> commit(JsonNode order) {
        Table table = table(order);
        List<DeleteFile> deletes = new ArrayList<>();
        order.path("deletes").forEach(each -> deletes.add(deleteFile(table, each)));
        List<DataFile> files = new ArrayList<>();
        order.path("append").forEach(each -> files.add(dataFile(table, each)));
        if (deletes.isEmpty() && !files.isEmpty()) {
            AppendFiles append = table.newAppend();
            files.forEach(append::appendFile);
            append.commit();
        } else if (!deletes.isEmpty()) {
            RowDelta delta = table.newRowDelta();
            files.forEach(delta::addRows);
            deletes.forEach(delta::addDeletes);
            delta.commit();
        }
        if (order.has("remove")) {
            var delete = table.newDelete();
            order.get("remove").forEach(each -> delete.deleteFile(each.asText()));
            delete.commit();
        }
        return state(order);
    }

    /** Sets format-version. */
    static Map<String, Object> upgrade(JsonNode order) {
        Table table = table(order);
        String version = order.get("version").asText();
        table.updateProperties().set("format-version", version).commit();
        return state(order);
    }

    /** Reads a metadata table: its schema, and its rows. */
    static Map<String, Object> rows(JsonNode order) throws IOException {
        MetadataTableType type = MetadataTableType.from(order.get("kind").asText());
        Table made = MetadataTableUtils.createMetadataTableInstance(table(order), type);
        Types.StructType struct = made.schema().asStruct();
        List<Object> rows = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = made.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                try (CloseableIterable<StructLike> held = task.asDataTask().rows()) {
                    held.forEach(each -> rows.add(Values.plain(struct, each)));
                }
            }
        }
        return Map.of("schema", SchemaParser.toJson(made.schema()), "rows", rows);
    }

    /** Reads the rows of a snapshot, or of the current one, that match a filter. */
    static Map<String, Object> read(JsonNode order) throws IOException {
        Table table = table(order);
        var scan = IcebergGenerics.read(table);
        if (order.has("snapshot")) {
            scan = scan.useSnapshot(order.get("snapshot").asLong());
        }
        if (order.has("filter")) {
            String filter = order.get("filter").toString();
            scan = scan.where(ExpressionParser.fromJson(filter, table.schema()));
        }
        List<Object> rows = new ArrayList<>();
        try (CloseableIterable<Record> records = scan.build()) {
            records.forEach(each -> rows.add(Values.plain(each.struct(), each)));
        }
        return Map.of("rows", rows);
    }

    /** Plans a scan: the paths of the data files, and of the deletes that apply to each. */
    static Map<String, Object> plan(JsonNode order) throws IOException {
        Map<String, Object> made = new TreeMap<>();
        try (CloseableIterable<FileScanTask> tasks = table(order).newScan().planFiles()) {
            tasks.forEach(task -> made.put(
                    task.file().location(),
                    task.deletes().stream().map(each -> each.location()).sorted().toList()));
        }
        return Map.of("tasks", made);
    }

    private static BaseTable table(JsonNode order) {
        return TABLES.get(order.get("folder").asText());
    }

    private static Map<String, Object> state(JsonNode order) {
        return Map.of("metadata", table(order).operations().current().metadataFileLocation());
    }

    private static DataFile dataFile(Table table, JsonNode file) {
        PartitionSpec spec = table.specs().get(file.get("spec").asInt());
        DataFiles.Builder builder = DataFiles.builder(spec)
                .withPath(file.get("path").asText())
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(file.path("size").asLong(1000))
                .withMetrics(metrics(file));
        if (spec.isPartitioned()) {
            builder.withPartition(partition(spec, file.get("partition")));
        }
        return builder.build();
    }

    private static DeleteFile deleteFile(Table table, JsonNode file) {
        PartitionSpec spec = table.specs().get(file.get("spec").asInt());
        FileMetadata.Builder builder = FileMetadata.deleteFileBuilder(spec)
                .withPath(file.get("path").asText())
                .withFileSizeInBytes(file.path("size").asLong(1000))
                .withMetrics(metrics(file));
        if (file.has("offset")) {
            builder.ofPositionDeletes()
                    .withFormat(FileFormat.PUFFIN)
                    .withReferencedDataFile(file.get("referenced").asText())
                    .withContentOffset(file.get("offset").asLong())
                    .withContentSizeInBytes(file.get("length").asLong());
        } else if (file.has("equality")) {
            List<Integer> ids = new ArrayList<>();
            file.get("equality").forEach(each -> ids.add(each.asInt()));
            builder.ofEqualityDeletes(ids.stream().mapToInt(each -> each).toArray())
                    .withFormat(FileFormat.PARQUET);
        } else {
            builder.ofPositionDeletes().withFormat(FileFormat.PARQUET);
        }
        if (spec.isPartitioned()) {
            builder.withPartition(partition(spec, file.get("partition")));
        }
        return builder.build();
    }

    private static PartitionData partition(PartitionSpec spec, JsonNode values) {
        PartitionData made = new PartitionData(spec.partitionType());
        List<Types.NestedField> fields = spec.partitionType().fields();
        for (int at = 0; at < fields.size(); at++) {
            Type of = fields.get(at).type();
            JsonNode value = values.get(at);
            made.set(at, value.isNull() ? null : SingleValueParser.fromJson(of, value));
        }
        return made;
    }

    private static Metrics metrics(JsonNode file) {
        return new Metrics(
                file.get("records").asLong(),
                counts(file.path("column_sizes")),
                counts(file.path("value_counts")),
                counts(file.path("null_value_counts")),
                counts(file.path("nan_value_counts")),
                bounds(file.path("lower_bounds")),
                bounds(file.path("upper_bounds")));
    }

    private static Map<Integer, Long> counts(JsonNode stored) {
        Map<Integer, Long> made = new TreeMap<>();
        stored.properties().forEach(
                each -> made.put(Integer.valueOf(each.getKey()), each.getValue().asLong()));
        return made.isEmpty() ? null : made;
    }

    private static Map<Integer, ByteBuffer> bounds(JsonNode stored) {
        Map<Integer, ByteBuffer> made = new TreeMap<>();
        stored.properties().forEach(each -> made.put(
                Integer.valueOf(each.getKey()),
                ByteBuffer.wrap(HexFormat.of().parseHex(each.getValue().asText()))));
        return made.isEmpty() ? null : made;
    }
}
