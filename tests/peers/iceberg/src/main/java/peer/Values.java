package peer;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.geospatial.GeospatialBound;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.DateTimeUtil;
import org.apache.iceberg.variants.Variant;

/**
 * Values as JSON has them: bytes as hex, floats, decimals and UUIDs as text, moments as numbers of
 * their unit, structs by the names of their fields, maps as lists of pairs.
 */
final class Values {
    private Values() {}

    static Object plain(Type type, Object value) {
        if (value == null) {
            return null;
        }
        return switch (type.typeId()) {
            case STRUCT -> struct(type.asStructType(), (StructLike) value);
            case LIST -> list(type.asListType().elementType(), (Iterable<?>) value);
            case MAP -> pairs(type.asMapType(), (Map<?, ?>) value);
            case VARIANT -> variant((Variant) value);
            case BOOLEAN, INTEGER, LONG -> value;
            case DATE, TIME, TIMESTAMP, TIMESTAMP_NANO ->
                    value instanceof Number ? value : moment(type, value);
            default -> text(value);
        };
    }

    /** The number that stands for what generic readers give for a date, a time or a moment. */
    private static long moment(Type type, Object value) {
        boolean isNano = type.typeId() == Type.TypeID.TIMESTAMP_NANO;
        if (value instanceof LocalDate date) {
            return DateTimeUtil.daysFromDate(date);
        }
        if (value instanceof LocalTime time) {
            return DateTimeUtil.microsFromTime(time);
        }
        if (value instanceof LocalDateTime at) {
            return isNano ? DateTimeUtil.nanosFromTimestamp(at) : DateTimeUtil.microsFromTimestamp(at);
        }
        OffsetDateTime at = (OffsetDateTime) value;
        return isNano ? DateTimeUtil.nanosFromTimestamptz(at) : DateTimeUtil.microsFromTimestamptz(at);
    }

    private static String text(Object value) {
        if (value instanceof GeospatialBound bound) {
            return text(bound.toByteBuffer());
        }
        if (value instanceof ByteBuffer bytes) {
            byte[] copied = new byte[bytes.remaining()];
            bytes.duplicate().get(copied);
            return HexFormat.of().formatHex(copied);
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
    }

    /** The bytes of a variant, as hex. */
    private static Map<String, Object> variant(Variant value) {
        ByteBuffer metadata = room(value.metadata().sizeInBytes());
        ByteBuffer held = room(value.value().sizeInBytes());
        value.metadata().writeTo(metadata, 0);
        value.value().writeTo(held, 0);
        return Map.of("metadata", text(metadata), "value", text(held));
    }

    private static ByteBuffer room(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Map<String, Object> struct(Types.StructType type, StructLike value) {
        Map<String, Object> made = new LinkedHashMap<>();
        List<Types.NestedField> fields = type.fields();
        for (int at = 0; at < fields.size(); at++) {
            Types.NestedField field = fields.get(at);
            made.put(field.name(), plain(field.type(), value.get(at, Object.class)));
        }
        return made;
    }

    private static List<Object> list(Type of, Iterable<?> values) {
        List<Object> made = new ArrayList<>();
        values.forEach(each -> made.add(plain(of, each)));
        return made;
    }

    private static List<Object> pairs(Types.MapType type, Map<?, ?> values) {
        List<Object> made = new ArrayList<>();
        values.forEach((key, value) -> {
            List<Object> pair = new ArrayList<>();
            pair.add(plain(type.keyType(), key));
            pair.add(plain(type.valueType(), value));
            made.add(pair);
        });
        return made;
    }
}
