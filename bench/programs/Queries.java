import static org.apache.kafka.streams.CloseOptions.GroupMembershipOperation.LEAVE_GROUP;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** Kafka Streams' store of counts, asked in its process and behind the HTTP server of the JDK. */
final class Queries implements StateRestoreListener {
  static final String STORE = "counts", PATH = "/apps/bench/stores/counts/keys/";
  private static final int HOT = 1_000, THREADS = 8, EACH = 1_000;
  private final KafkaStreams streams;
  private final int port, entries;
  private long restored, begun;

  Queries(KafkaStreams streams, int port, int entries) {
    this.streams = streams;
    this.port = port;
    this.entries = entries;
    streams.setGlobalStateRestoreListener(this);
  }

  @Override
  public synchronized void onRestoreStart(TopicPartition partition, String store, long start, long end) {
    if (begun == 0) begun = System.nanoTime();
  }

  @Override
  public void onBatchRestored(TopicPartition partition, String store, long end, long records) {}

  @Override
  public synchronized void onRestoreEnd(TopicPartition partition, String store, long records) {
    restored += records;
    tell("restored", restored, System.nanoTime() - begun);
  }

  /** Answer until the input ends; a line in it is for how many seconds to ask in this process. */
  void serve() throws IOException {
    ReadOnlyKeyValueStore<Integer, Long> counts = streams.store(
        StoreQueryParameters.fromNameAndType(STORE, QueryableStoreTypes.<Integer, Long>keyValueStore()));
    // Else an answer waits for the acknowledgement of its head, 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 1_000);
    server.createContext(PATH, exchange -> answer(exchange, counts));
    server.setExecutor(threads);
    server.start();
    Streams.tell("serving", 0);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine())
      get(counts, (long) (Double.parseDouble(line) * 1e9));
    server.stop(0);
    threads.shutdown();
    // Else the next start waits until the broker gives up this one, 45 s.
    streams.close(CloseOptions.timeout(Duration.ofMinutes(1)).withGroupMembershipOperation(LEAVE_GROUP));
  }

  static void answer(HttpExchange exchange, ReadOnlyKeyValueStore<Integer, Long> counts) throws IOException {
    int key = Integer.parseInt(exchange.getRequestURI().getPath().substring(PATH.length()));
    Long count = counts.get(key);
    byte[] body = ("{\"key\":" + key + ",\"value\":" + count + "}").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(count == null ? 404 : 200, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  /** Ask in turn for a key that changes and for any; no count goes back. */
  void get(ReadOnlyKeyValueStore<Integer, Long> counts, long nanos) {
    SplittableRandom chance = new SplittableRandom(1);
    long[] last = new long[entries];
    long begin = System.nanoTime(), gets = 0;
    while (System.nanoTime() - begin < nanos) {
      for (int number = 0; number < EACH; number++) {
        int key = chance.nextInt(number % 2 == 0 ? HOT : entries);
        long count = counts.get(key);
        if (count < last[key]) throw new IllegalStateException("key " + key + " went back");
        last[key] = count;
      }
      gets += EACH;
    }
    tell("gets", gets, System.nanoTime() - begin);
  }

  static void tell(String mark, long records, long nanos) {
    System.out.printf("{\"mark\": \"%s\", \"records\": %d, \"seconds\": %.6f}%n", mark, records, nanos / 1e9);
  }
}
