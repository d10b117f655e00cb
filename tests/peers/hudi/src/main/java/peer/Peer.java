package peer;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes an order a line, {@code {"do": NAME, ...}}, and answers each with a line of JSON: what was
 * asked for, or {@code {"error": ...}}, the classes and messages of a failure and its causes.
 */
public final class Peer {
    private Peer() {}

    public static void main(String[] none) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err); // what libraries print is no answer
        ObjectMapper json = new ObjectMapper();
        answers.println(json.writeValueAsString(Map.of("version", Tables.VERSION)));
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            answers.println(json.writeValueAsString(answer(json.readValue(line, Order.class))));
        }
    }

    private static Map<String, Object> answer(Order order) {
        try {
            return switch (order.text("do", "")) {
                case "create" -> Tables.create(order);
                case "upsert" -> Tables.upsert(order);
                case "savepoint" -> Tables.savepoint(order);
                case "restore" -> Tables.restore(order);
                case "rollback" -> Tables.rollback(order);
                case "upgrade" -> Tables.upgrade(order);
                case "files" -> Tables.files(order);
                case "slices" -> Tables.slices(order);
                case "statistics" -> Tables.statistics(order);
                default -> throw new IllegalArgumentException("no such order: " + order);
            };
        } catch (Throwable error) { // out of memory too is an answer
            Map<String, Object> answer = new LinkedHashMap<>();
            StringBuilder text = new StringBuilder();
            for (Throwable each = error; each != null; each = each.getCause()) {
                text.append(text.isEmpty() ? "" : " <- ").append(each);
            }
            answer.put("error", text.toString());
            return answer;
        }
    }
}
