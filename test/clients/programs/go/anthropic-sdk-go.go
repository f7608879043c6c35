package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func main() {
	ctx := context.Background()
	client := anthropic.NewClient(option.WithBaseURL(os.Getenv("GATEHOUSE_URL")+"/v3"), option.WithAPIKey(os.Getenv("GATEHOUSE_API_KEY")))
	hello := anthropic.MessageNewParams{
		Model:     "openai/gpt-4o-mini",
		MaxTokens: 100,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))},
	}

	whole, err := client.Messages.New(ctx, hello)
	check(err)
	fmt.Println("whole:", whole.Content[0].Text)

	stream := client.Messages.NewStreaming(ctx, hello)
	message := anthropic.Message{}
	for stream.Next() {
		check(message.Accumulate(stream.Current()))
	}
	check(stream.Err())
	fmt.Println("stream:", message.Content[0].Text)

	turn := hello
	schema := anthropic.ToolInputSchemaParam{
		Properties: map[string]any{"city": map[string]any{"type": "string"}},
		Required:   []string{"city"},
	}
	turn.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "weather", InputSchema: schema}}}
	first, err := client.Messages.New(ctx, turn)
	check(err)
	results := []anthropic.ContentBlockParamUnion{}
	for _, block := range first.Content {
		if block.Type == "tool_use" {
			results = append(results, anthropic.NewToolResultBlock(block.ID, "rain in "+cityIn(block.Input), false))
		}
	}
	turn.Messages = append(turn.Messages, first.ToParam(), anthropic.NewUserMessage(results...))
	last, err := client.Messages.New(ctx, turn)
	check(err)
	fmt.Println("tool:", last.Content[0].Text)

	hello.Model = "openai/too-long"
	_, err = client.Messages.New(ctx, hello)
	var refused *anthropic.Error
	if errors.As(err, &refused) {
		var body struct{ Error struct{ Message string } }
		check(json.Unmarshal([]byte(refused.RawJSON()), &body))
		fmt.Println("error:", body.Error.Message)
	}
}

func cityIn(text []byte) string {
	var found struct{ City string }
	check(json.Unmarshal(text, &found))
	return found.City
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
