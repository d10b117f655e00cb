package peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.iceberg.IcebergBuild;

/**
 * Takes an order a line, {@code {"do": NAME, ...}}, and answers each with a line of JSON: what was
 * asked for, or {@code {"error": ...}}, the classes and messages of a failure and its causes.
 */
public final class Peer {
    private Peer() {}

    public static void main(String[] none) throws IOException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what libraries print is no answer
        ObjectMapper json = new ObjectMapper();
        answers.println(json.writeValueAsString(Map.of("version", IcebergBuild.version())));
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            answers.println(json.writeValueAsString(answer(json.readTree(line))));
        }
        System.exit(0); // a server may still run
    }

    private static Map<String, Object> answer(JsonNode order) {
        try {
            return switch (order.path("do").asText()) {
                case "create" -> Tables.create(order);
                case "open" -> Tables.open(order);
                case "serve" -> Tables.serve(order);
                case "load" -> Tables.load(order);
                case "read" -> Tables.read(order);
                case "alter" -> Tables.alter(order);
                case "respec" -> Tables.respec(order);
                case "commit" -> Tables.commit(order);
                case "upgrade" -> Tables.upgrade(order);
                case "plan" -> Tables.plan(order);
                case "rows" -> Tables.rows(order);
                default -> throw new IllegalArgumentException("no such order: " + order);
            };
        } catch (Throwable error) { // out of memory too is an answer
            StringBuilder text = new StringBuilder();
            for (Throwable each = error; each != null; each = each.getCause()) {
                text.append(text.isEmpty() ? "" : " <- ").append(each);
            }
            return Map.of("error", text.toString());
        }
    }
}
