package peer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;

/**
 * Cells in a file, one behind the other: row, family, qualifier, i64 timestamp, u8 type, value,
 * tags, i64 sequence number. Bytes stand behind their length, an i32; all is big-endian.
 */
final class Cells {
    private static final int BUFFER = 1 << 20;

    private Cells() {}

    static List<KeyValue> read(String path) throws IOException {
        List<KeyValue> cells = new ArrayList<>();
        try (var in = new DataInputStream(new BufferedInputStream(new FileInputStream(path), BUFFER))) {
            for (byte[] row = bytes(in); row != null; row = bytes(in)) {
                byte[] family = bytes(in);
                byte[] qualifier = bytes(in);
                long timestamp = in.readLong();
                KeyValue.Type type = KeyValue.Type.codeToType(in.readByte());
                byte[] value = bytes(in);
                byte[] tags = bytes(in);
                var cell = new KeyValue(
                        row, 0, row.length, family, 0, family.length, qualifier, 0, qualifier.length,
                        timestamp, type, value, 0, value.length, tags, 0, tags.length);
                cell.setSequenceId(in.readLong());
                cells.add(cell);
            }
        }
        return cells;
    }

    static DataOutputStream to(String path) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path), BUFFER));
    }

    static void put(DataOutputStream out, Cell cell) throws IOException {
        put(out, CellUtil.cloneRow(cell));
        put(out, CellUtil.cloneFamily(cell));
        put(out, CellUtil.cloneQualifier(cell));
        out.writeLong(cell.getTimestamp());
        out.writeByte(cell.getTypeByte());
        put(out, CellUtil.cloneValue(cell));
        put(out, PrivateCellUtil.cloneTags(cell));
        out.writeLong(cell.getSequenceId());
    }

    private static void put(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int size;
        try {
            size = in.readInt();
        } catch (EOFException end) {
            return null;
        }
        return in.readNBytes(size);
    }
}
