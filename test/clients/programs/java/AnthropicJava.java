import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.errors.BadRequestException;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

public class AnthropicJava {
    public static void main(String[] args) {
        AnthropicClient client = AnthropicOkHttpClient.builder()
                .baseUrl(System.getenv("GATEHOUSE_URL") + "/v3")
                .apiKey(System.getenv("GATEHOUSE_API_KEY"))
                .build();
        var messages = client.messages();

        System.out.println("whole: " + textOf(messages.create(hello("openai/gpt-4o-mini").build())));
        try (var stream = messages.createStreaming(hello("google/gemini-2.5-flash").build())) {
            System.out.println("stream: " + stream.stream()
                    .flatMap(event -> event.contentBlockDelta().stream())
                    .flatMap(event -> event.delta().text().stream())
                    .map(delta -> delta.text())
                    .collect(Collectors.joining()));
        }

        var schema = Tool.InputSchema.builder()
                .properties(JsonValue.from(Map.of("city", Map.of("type", "string"))))
                .putAdditionalProperty("required", JsonValue.from(List.of("city")))
                .build();
        var turn = hello("openai/gpt-4o-mini").addTool(Tool.builder().name("weather").inputSchema(schema).build());
        Message first = messages.create(turn.build());
        List<ContentBlockParam> results = first.content().stream()
                .flatMap(block -> block.toolUse().stream())
                .map(call -> ContentBlockParam.ofToolResult(ToolResultBlockParam.builder()
                        .toolUseId(call.id())
                        .content("rain in " + call._input().convert(Map.class).get("city"))
                        .build()))
                .collect(Collectors.toList());
        turn.addMessage(first).addUserMessageOfContentBlockParams(results);
        System.out.println("tool: " + textOf(messages.create(turn.build())));
        try {
            messages.create(hello("openai/too-long").build());
        } catch (BadRequestException error) {
            var body = error.body().convert(Map.class);
            System.out.println("error: " + ((Map<?, ?>) body.get("error")).get("message"));
        }
    }

    static MessageCreateParams.Builder hello(String model) {
        return MessageCreateParams.builder().model(model).maxTokens(100).addUserMessage("Hello");
    }

    static String textOf(Message message) {
        message.validate();
        return message.content().stream()
                .flatMap(block -> block.text().stream())
                .map(block -> block.text())
                .collect(Collectors.joining());
    }
}
