package peer;

import java.io.IOException;
import java.net.URI;
import java.util.HexFormat;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.crypto.Encryption;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What an order sets: {@code conf}, HBase's own names; {@code codec}, {@code encoding},
 * {@code checksum}, {@code bytes_per_checksum}, {@code block_size}, {@code tags},
 * {@code compress_tags}, {@code mvcc}, {@code data_key} and {@code master_key} (AES, in hex).
 */
final class Settings {
    private static final String PACKAGE = "org.apache.hadoop.hbase.io.compress.";

    /** Of the codecs that come in several modules, those that are plain Java. */
    private static final Map<String, String> CODECS = Map.of(
            "snappy", PACKAGE + "aircompressor.SnappyCodec",
            "lz4", PACKAGE + "aircompressor.Lz4Codec",
            "lzo", PACKAGE + "aircompressor.LzoCodec",
            "zstd", PACKAGE + "aircompressor.ZstdCodec",
            "brotli", PACKAGE + "brotli.BrotliCodec",
            "bzip2", FinishingBzip2Codec.class.getName());

    /** What HBase's own files say: to read those takes longer than most orders. */
    private static final Configuration DEFAULTS = HBaseConfiguration.create();

    static {
        DEFAULTS.size(); // reads them
    }

    private static final String CODEC_SETTINGS = "hbase.io.compress.";

    /** What the codecs were made with: each reads all of Hadoop's files when it is made. */
    private static Map<String, String> loaded = Map.of();

    final Configuration conf = new Configuration(DEFAULTS);
    /** Files of this machine, without permissions: Hadoop starts a program to set those of one. */
    final FileSystem files = new RawLocalFileSystem() {
        @Override
        public void setPermission(Path path, FsPermission permission) {}
    };
    private final Order order;

    Settings(Order order) throws IOException {
        this.order = order;
        files.initialize(URI.create("file:///"), conf);
        CODECS.forEach((name, type) -> conf.set("hbase.io.compress." + name + ".codec", type));
        conf.setBoolean("hbase.metrics.showTableName", false);
        if (order.get("conf") instanceof Map<?, ?> set) {
            set.forEach((name, value) -> conf.set((String) name, String.valueOf(value)));
        }
        if (order.containsKey("master_key")) {
            conf.set("hbase.crypto.keyprovider", MasterKey.class.getName());
            conf.set("hbase.crypto.keyprovider.parameters", order.text("master_key"));
            conf.set("hbase.crypto.master.key.name", "master");
        }
        reload(conf);
    }

    /** Lets HBase make its codecs again where they are set otherwise than before. */
    private static void reload(Configuration conf) {
        Map<String, String> wanted = conf.getPropsWithPrefix(CODEC_SETTINGS);
        if (wanted.equals(loaded)) {
            return;
        }
        for (Compression.Algorithm each : Compression.Algorithm.values()) {
            if (CODECS.containsKey(each.getName())) {
                each.reload(conf);
            }
        }
        loaded = wanted;
    }

    HFileContext context() {
        var context = new HFileContextBuilder()
                .withCompression(Compression.Algorithm.valueOf(order.text("codec", "NONE")))
                .withDataBlockEncoding(DataBlockEncoding.valueOf(order.text("encoding", "NONE")))
                .withChecksumType(ChecksumType.valueOf(order.text("checksum", "CRC32C")))
                .withBytesPerCheckSum(order.number("bytes_per_checksum", 16384))
                .withBlockSize(order.number("block_size", 65536))
                .withIncludesTags(order.flag("tags"))
                .withCompressTags(order.flag("compress_tags"))
                .withIncludesMvcc(order.flag("mvcc"))
                .withHBaseCheckSum(true)
                .withColumnFamily(Bytes.toBytes(order.text("family", "f")))
                .withCreateTime(1_700_000_000_000L);
        if (order.containsKey("data_key")) {
            context.withEncryptionContext(Encryption.newContext(conf)
                    .setCipher(Encryption.getCipher(conf, "AES"))
                    .setKey(HexFormat.of().parseHex(order.text("data_key"))));
        }
        return context.build();
    }
}
