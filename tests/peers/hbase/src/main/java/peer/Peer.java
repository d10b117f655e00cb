package peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.ToNumberPolicy;

/**
 * Takes an order a line, {@code {"do": NAME, ...}}, and answers each with a line of JSON: what was
 * asked for, or {@code {"error": ...}}, the classes and messages of a failure and its causes.
 */
public final class Peer {
    private Peer() {}

    public static void main(String[] none) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err); // what libraries print is no answer
        Gson gson = new GsonBuilder()
                .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
                .create();
        answers.println(gson.toJson(Map.of("version", VersionInfo.getVersion())));
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            answers.println(gson.toJson(answer(gson.fromJson(line, Order.class))));
        }
    }

    private static Map<String, Object> answer(Order order) {
        try {
            return switch (order.text("do", "")) {
                case "write" -> Files.write(order);
                case "dump" -> Files.dump(order);
                case "seek" -> Files.seek(order);
                case "bloom" -> Files.bloom(order);
                case "bench-scan" -> Bench.scan(order);
                case "bench-get" -> Bench.get(order);
                case "bench-write" -> Bench.write(order);
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
