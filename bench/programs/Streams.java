import static org.apache.kafka.streams.kstream.Suppressed.BufferConfig.unbounded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.WindowedSerdes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** The workloads on Kafka Streams: told what to do by a line of JSON, as the other programs are. */
public final class Streams {
  static final ObjectMapper JSON = new ObjectMapper();
  static final Serde<byte[]> BYTES = Serdes.ByteArray();
  static final Serde<String> TEXT = Serdes.String();
  static final Serde<Long> LONG = Serdes.Long();

  public static void main(String[] arguments) throws Exception {
    JsonNode job = JSON.readTree(arguments[0]);
    StreamsBuilder builder = new StreamsBuilder();
    declare(builder, job.get("workload").asText(), text(job, "source"), text(job, "table"), text(job, "target"));
    KafkaStreams streams = new KafkaStreams(builder.build(), settings(job));
    CountDownLatch running = new CountDownLatch(1);
    streams.setStateListener((now, before) -> {
      if (now == KafkaStreams.State.RUNNING) running.countDown();
    });
    streams.setUncaughtExceptionHandler(failure -> {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    });
    int port = job.get("port").asInt();
    Queries queries = port == 0 ? null : new Queries(streams, port, job.get("records").asInt());
    streams.start();
    running.await();
    tell("polling", 0);
    if (queries != null) queries.serve();
    else if (job.get("live").asBoolean()) while (System.in.read() >= 0) {}
    else drain(streams, text(job, "source"), job);
    // Who is to be taken over from leaves its group at once: else the broker counts it for 45 s more.
    boolean leaves = text(job, "workload").equals("adopted");
    streams.close(new KafkaStreams.CloseOptions().timeout(Duration.ofMinutes(1)).leaveGroup(leaves));
  }

  /** Wait until every record is processed, those behind a repartition too; closing then flushes the caches. */
  static void drain(KafkaStreams streams, String source, JsonNode job) throws InterruptedException {
    long all = job.get("records").asLong() + job.get("rows").asLong() + job.get("inner").asLong();
    long done = 0;
    for (int turn = 0, quiet = 0; done < all && quiet < 1_500; turn++, quiet++) {
      Thread.sleep(20);
      long now = metric(streams, "process-total", null);
      if (now > done) quiet = 0;
      done = now;
      if (turn % 10 == 0) tell("read", metric(streams, "records-consumed-total", source));
    }
  }

  static long metric(KafkaStreams streams, String name, String topic) {
    return streams.metrics().values().stream()
        .filter(one -> one.metricName().name().equals(name))
        .filter(one -> topic == null
            ? one.metricName().group().equals("stream-thread-metrics")
            : one.metricName().group().equals("consumer-fetch-manager-metrics")
                && topic.equals(one.metricName().tags().get("topic"))
                && !one.metricName().tags().containsKey("partition"))
        .mapToLong(one -> ((Number) one.metricValue()).longValue())
        .sum();
  }

  static Properties settings(JsonNode job) {
    Properties settings = new Properties();
    settings.put("application.id", "streams-" + text(job, "target"));
    settings.put("bootstrap.servers", text(job, "address"));
    settings.put("num.stream.threads", "2");
    settings.put("auto.offset.reset", "earliest");
    settings.put("state.dir", text(job, "folder"));
    settings.put("replication.factor", "1");
    if (job.get("every").asBoolean()) settings.put("statestore.cache.max.bytes", "0");
    if (job.get("once").asBoolean()) settings.put("processing.guarantee", "exactly_once_v2");
    if (!text(job, "member").isEmpty()) settings.put("group.instance.id", text(job, "member"));
    if (job.get("live").asBoolean()) settings.put("producer.linger.ms", "0");
    // Else windows that close within a second of others wait for a record that comes later.
    settings.put("__emit.interval.ms.kstreams.windowed.aggregation__", 0L);
    return settings;
  }

  static void tell(String mark, long records) {
    System.out.printf("{\"mark\": \"%s\", \"at\": %d.%03d, \"records\": %d}%n",
        mark, System.currentTimeMillis() / 1000, System.currentTimeMillis() % 1000, records);
  }

  static String text(JsonNode job, String field) {
    return job.get(field).asText();
  }

  static void declare(StreamsBuilder builder, String workload, String source, String table, String target) {
    switch (workload) {
      case "W1a" -> encode(builder.stream(source, Consumed.with(BYTES, BYTES)), target);
      case "W1b" -> reprice(builder.stream(source, Consumed.with(BYTES, json(Bid.class))), target);
      case "W3" -> windows(builder.stream(source, Consumed.with(LONG, BYTES)), target);
      case "W4" -> enrich(
          builder.stream(source, Consumed.with(TEXT, json(Event.class))),
          builder.table(table, Consumed.with(TEXT, TEXT)), target);
      case "recovery" -> hold(builder.stream(source, Consumed.with(Serdes.Integer(), BYTES)), target);
      case "queries" -> asked(builder.stream(source, Consumed.with(Serdes.Integer(), BYTES)), target);
      case "ledger" -> ledger(builder.stream(source, Consumed.with(TEXT, Serdes.Integer())), target, table);
      case "adopted" -> adopted(builder, source, table, target);
      case "smoke" -> smoke(builder, source);
      case "W5" -> rules(builder, builder.stream(source, Consumed.with(BYTES, BYTES)), target);
      default -> count(builder.stream(source, Consumed.with(Serdes.Integer(), BYTES)), target);
    }
  }

  public record Fold(long count, long total, int least, int most) {}

  /** Not a workload: what `tests/recovery/ledger.py` checks, to be killed again and again. */
  static void ledger(KStream<String, Integer> data, String echo, String folds) {
    data.to(echo, Produced.with(TEXT, Serdes.Integer()));
    data.groupByKey(Grouped.with(TEXT, Serdes.Integer()))
        .aggregate(
            () -> new Fold(0, 0, 10_000, -1),
            (key, value, fold) -> new Fold(
                fold.count() + 1, fold.total() + value, Math.min(fold.least(), value), Math.max(fold.most(), value)),
            Materialized.with(TEXT, json(Fold.class)))
        .toStream()
        .to(folds, Produced.with(TEXT, json(Fold.class)));
  }

  /** Not a workload either: what `tests/recovery/test_adopt.py` goes on from, a store of every kind that can be. */
  static void adopted(StreamsBuilder builder, String source, String table, String target) {
    KStream<String, Integer> data = builder.stream(source, Consumed.with(TEXT, Serdes.Integer()));
    KGroupedStream<String, Integer> byKey = data.groupByKey(Grouped.with(TEXT, Serdes.Integer()));
    byKey.count(kept("counts", LONG)).toStream().to(target, Produced.with(TEXT, LONG));
    byKey.aggregate(
        () -> new Fold(0, 0, 10_000, -1),
        (key, value, fold) -> new Fold(
            fold.count() + 1, fold.total() + value, Math.min(fold.least(), value), Math.max(fold.most(), value)),
        kept("folds", json(Fold.class)));
    data.groupBy((key, value) -> String.valueOf(value % 2), Grouped.with(TEXT, Serdes.Integer()))
        .count(kept("parities", LONG));
    Duration size = Duration.ofSeconds(10), gap = Duration.ofSeconds(3), grace = Duration.ofHours(1);
    byKey.windowedBy(TimeWindows.ofSizeAndGrace(size, grace).advanceBy(Duration.ofSeconds(5)))
        .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("windows").withRetention(Duration.ofHours(2)));
    byKey.windowedBy(SessionWindows.ofInactivityGapAndGrace(gap, grace))
        .count(Materialized.<String, Long, SessionStore<Bytes, byte[]>>as("sessions").withRetention(Duration.ofHours(2)));
    KTable<String, String> names = builder.table(table, Consumed.with(TEXT, TEXT), kept("names", TEXT));
    data.join(names, (value, name) -> name + value, Joined.with(TEXT, Serdes.Integer(), TEXT))
        .to(target + "-joined", Produced.with(TEXT, TEXT));
  }

  static <V> Materialized<String, V, KeyValueStore<Bytes, byte[]>> kept(String store, Serde<V> values) {
    return Materialized.<String, V, KeyValueStore<Bytes, byte[]>>as(store).withKeySerde(TEXT).withValueSerde(values);
  }

  /** Not a workload either: what `tests/recovery/smoke.py` checks. */
  static void smoke(StreamsBuilder builder, String source) {
    Serde<Integer> integer = Serdes.Integer();
    KStream<String, Integer> all = builder.stream(source, Consumed.with(TEXT, integer));
    all.filterNot((key, value) -> key.equals("flush")).to(source + "-echo", Produced.with(TEXT, integer));
    KGroupedStream<String, Integer> data = all.groupByKey(Grouped.with(TEXT, integer));

    Duration day = Duration.ofDays(1), hop = Duration.ofSeconds(2);
    KTable<Windowed<String>, Integer> least = data
        .windowedBy(TimeWindows.ofSizeAndGrace(day, Duration.ofMinutes(1)))
        .aggregate(() -> Integer.MAX_VALUE, (key, value, now) -> Math.min(now, value), Materialized.with(TEXT, integer));
    ofWindows(least, day, source + "-min-raw");
    ofWindows(least.suppress(Suppressed.untilWindowCloses(unbounded())), day, source + "-min-suppressed");
    ofKeys(least, source + "-min", integer);

    KTable<Windowed<String>, Integer> sums = data
        .windowedBy(TimeWindows.ofSizeAndGrace(hop, Duration.ofSeconds(30)).advanceBy(Duration.ofSeconds(1)))
        .reduce(Integer::sum, Materialized.with(TEXT, integer));
    ofWindows(sums, hop, source + "-sws-raw");
    ofWindows(sums.suppress(Suppressed.untilWindowCloses(unbounded())), hop, source + "-sws-suppressed");

    TimeWindowedKStream<String, Integer> days = data.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofDays(2)));
    ofKeys(
        days.aggregate(
            () -> Integer.MIN_VALUE, (key, value, now) -> Math.max(now, value), Materialized.with(TEXT, integer)),
        source + "-max", integer);
    ofKeys(
        days.aggregate(() -> 0L, (key, value, now) -> now + value, Materialized.with(TEXT, LONG)),
        source + "-sum", LONG);
    ofKeys(days.count(Materialized.with(TEXT, LONG)), source + "-cnt", LONG);

    KTable<String, Integer> min = builder.table(source + "-min", Consumed.with(TEXT, integer));
    KTable<String, Integer> max = builder.table(source + "-max", Consumed.with(TEXT, integer));
    KTable<String, Long> sum = builder.table(source + "-sum", Consumed.with(TEXT, LONG));
    KTable<String, Long> count = builder.table(source + "-cnt", Consumed.with(TEXT, LONG));
    max.join(min, (most, less) -> most - less).toStream().to(source + "-dif", Produced.with(TEXT, integer));
    sum.join(count, (total, number) -> (double) total / number)
        .toStream()
        .to(source + "-avg", Produced.with(TEXT, Serdes.Double()));
    count.groupBy((key, number) -> KeyValue.pair(Long.toString(number), 1L), Grouped.with(TEXT, LONG))
        .aggregate(
            () -> 0L,
            (key, one, now) -> now + one,
            (key, one, now) -> now - one,
            Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("alike"))
                .withKeySerde(TEXT)
                .withValueSerde(LONG))
        .toStream()
        .to(source + "-tagg", Produced.with(TEXT, LONG));
  }

  static void ofWindows(KTable<Windowed<String>, Integer> table, Duration size, String target) {
    Serde<Windowed<String>> windowed = WindowedSerdes.timeWindowedSerdeFrom(String.class, size.toMillis());
    table.toStream()
        .filterNot((window, value) -> window.key().equals("flush"))
        .to(target, Produced.with(windowed, Serdes.Integer()));
  }

  static <V> void ofKeys(KTable<Windowed<String>, V> table, String target, Serde<V> serde) {
    table.toStream((window, value) -> window.key())
        .filterNot((key, value) -> key.equals("flush"))
        .to(target, Produced.with(TEXT, serde));
  }

  static void encode(KStream<byte[], byte[]> records, String target) {
    Base64.Encoder encoder = Base64.getEncoder();
    records.mapValues(value -> encoder.encode(value)).to(target, Produced.with(BYTES, BYTES));
  }

  public record Bid(
      long auction, long bidder, long price, String channel, String url, String dateTime, String extra) {}

  public record Priced(long auction, long bidder, double price, int hour, String extra) {}

  static void reprice(KStream<byte[], Bid> bids, String target) {
    bids.filter((key, bid) -> bid.auction % 123 == 0 || bid.price > 10_000)
        .mapValues(bid -> new Priced(
            bid.auction, bid.bidder, bid.price * 0.908, Integer.parseInt(bid.dateTime, 11, 13, 10), bid.extra))
        .to(target, Produced.with(BYTES, json(Priced.class)));
  }

  static void count(KStream<Integer, byte[]> records, String target) {
    records.groupByKey().count().toStream().to(target, Produced.with(Serdes.Integer(), LONG));
  }

  static void asked(KStream<Integer, byte[]> records, String target) {
    records.groupByKey()
        .count(Materialized.as(Queries.STORE))
        .toStream()
        .to(target, Produced.with(Serdes.Integer(), LONG));
  }

  static void hold(KStream<Integer, byte[]> records, String target) {
    records.groupByKey()
        .aggregate(
            () -> new byte[8],
            (key, value, held) -> ByteBuffer.allocate(8 + value.length)
                .putLong(ByteBuffer.wrap(held).getLong() + 1)
                .put(value)
                .array(),
            Materialized.with(Serdes.Integer(), BYTES))
        .toStream()
        .mapValues(held -> ByteBuffer.wrap(held).getLong())
        .to(target, Produced.with(Serdes.Integer(), LONG));
  }

  static void windows(KStream<Long, byte[]> bids, String target) {
    Duration size = Duration.ofSeconds(10);
    bids.groupByKey()
        .windowedBy(TimeWindows.ofSizeAndGrace(size, Duration.ofSeconds(4)).advanceBy(Duration.ofSeconds(2)))
        .emitStrategy(EmitStrategy.onWindowClose())
        // With the usual retention windows are forgotten by the record that closes them. With a cache the first
        // look for closed windows goes through all time since 1970, minute by minute.
        .count(Materialized.<Long, Long, WindowStore<Bytes, byte[]>>as("bids")
            .withRetention(Duration.ofMinutes(2))
            .withCachingDisabled())
        .toStream()
        .to(target, Produced.with(WindowedSerdes.timeWindowedSerdeFrom(Long.class, size.toMillis()), LONG));
  }

  public record Event(
      String user_id, String page_id, String ad_id, String ad_type, String event_type, long event_time,
      String ip_address) {}

  static void enrich(KStream<String, Event> events, KTable<String, String> campaigns, String target) {
    Duration size = Duration.ofSeconds(10);
    events.filter((ad, event) -> event.event_type.equals("view"))
        .join(campaigns, (event, campaign) -> campaign, Joined.with(TEXT, json(Event.class), TEXT))
        .groupBy((ad, campaign) -> campaign, Grouped.with(TEXT, TEXT))
        .windowedBy(TimeWindows.ofSizeAndGrace(size, Duration.ofDays(1)))
        .count()
        .toStream()
        .to(target, Produced.with(WindowedSerdes.timeWindowedSerdeFrom(String.class, size.toMillis()), LONG));
  }

  static void rules(StreamsBuilder builder, KStream<byte[], byte[]> records, String target) {
    builder.addStateStore(
        Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("told"), LONG, BYTES).withCachingEnabled());
    records.flatMap((key, value) -> Rule.matches(value))
        .repartition(Repartitioned.with(LONG, LONG).withName("matches"))
        .process(Rule::new, "told")
        .to(target, Produced.with(LONG, BYTES));
  }

  /** Counts the matches of each rule in 32 bytes, and reports every tenth time. */
  static final class Rule implements Processor<Long, Long, Long, byte[]> {
    static final long RULES = 1000, HASHES = 1L << 32, MATCHING = HASHES / 10, EACH = 10;
    private ProcessorContext<Long, byte[]> context;
    private KeyValueStore<Long, byte[]> store;

    static List<KeyValue<Long, Long>> matches(byte[] value) {
      List<KeyValue<Long, Long>> found = new ArrayList<>(2);
      ByteBuffer bytes = ByteBuffer.wrap(value);
      for (int at = 0; at < 8; at += 4) {
        long hash = Integer.toUnsignedLong(bytes.getInt(at));
        if (hash * RULES % HASHES < MATCHING) found.add(KeyValue.pair(hash * RULES / HASHES, hash));
      }
      return found;
    }

    @Override
    public void init(ProcessorContext<Long, byte[]> context) {
      this.context = context;
      this.store = context.getStateStore("told");
    }

    @Override
    public void process(Record<Long, Long> match) {
      byte[] stored = store.get(match.key());
      ByteBuffer told = ByteBuffer.wrap(stored == null ? new byte[32] : stored);
      long count = told.getLong(0) + 1, total = told.getLong(8) + match.value();
      long first = count == 1 ? match.timestamp() : told.getLong(16);
      if (count < EACH) {
        byte[] more = new byte[32];
        ByteBuffer.wrap(more).putLong(count).putLong(total).putLong(first).putLong(match.timestamp());
        store.put(match.key(), more);
        return;
      }
      store.delete(match.key());
      String report = "{\"count\":" + count + ",\"total\":" + total + ",\"first_ms\":" + first + ",\"last_ms\":"
          + match.timestamp() + "}";
      context.forward(match.withValue(report.getBytes()));
    }
  }

  static <T> Serde<T> json(Class<T> type) {
    ObjectReader reader = JSON.readerFor(type);
    ObjectWriter writer = JSON.writerFor(type);
    Serializer<T> write = (topic, value) -> {
      try {
        return value == null ? null : writer.writeValueAsBytes(value);
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
    };
    Deserializer<T> read = (topic, bytes) -> {
      try {
        return bytes == null ? null : reader.readValue(bytes);
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
    };
    return Serdes.serdeFrom(write, read);
  }
}
