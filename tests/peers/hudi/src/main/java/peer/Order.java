package peer;

import java.util.HashMap;
import java.util.List;

/** One order: names and values as they stand in its JSON. */
public final class Order extends HashMap<String, Object> {
    private static final long serialVersionUID = 1;

    String text(String name, String otherwise) {
        return (String) getOrDefault(name, otherwise);
    }

    String text(String name) {
        if (!containsKey(name)) {
            throw new IllegalArgumentException("no " + name + " in " + this);
        }
        return (String) get(name);
    }

    int number(String name, int otherwise) {
        return ((Number) getOrDefault(name, otherwise)).intValue();
    }

    boolean flag(String name) {
        return (Boolean) getOrDefault(name, false);
    }

    @SuppressWarnings("unchecked")
    List<String> texts(String name) {
        return (List<String>) getOrDefault(name, List.of());
    }
}
