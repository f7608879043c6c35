# Claude Code with the lines of docs/clients.md, and with the names of its own models.
eval "$LINES"
export HOME="$PWD" CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
ORDER='Call Bash with {"command":"printf gate-%d 42"}'
DELEGATE='Call Agent with {"description":"x","subagent_type":"general-purpose","prompt":"Call Bash with {\"command\":\"printf sub-%d 42\"}"'
EVENTS='--output-format stream-json --verbose'

ask() { claude -p "$@" < /dev/null 2>&1; }
last() { tail -n 1; }

echo "bash: $(ask "$ORDER" --tools Bash --allowedTools Bash | grep -o 'call_0: gate-42')"
for name in haiku sonnet opus fable; do echo "$name: $(ask Hello --tools '' --model "$name" | last)"; done
echo "another maker: $(ask "$ORDER" --tools Bash --allowedTools Bash --model openai/gpt-4o-mini | grep -o 'call_0: gate-42')"
ask "$DELEGATE,\"model\":\"haiku\"}" --allowedTools Bash,Agent --model opus $EVENTS > delegated.json
echo "subagents: $(grep -o 'sub-42' delegated.json | head -n 1) $(grep -o 'claude-haiku' delegated.json | head -n 1 | cut -c 8-)"
CLAUDE_CODE_SUBAGENT_MODEL=google/gemini-2.5-flash ask "$DELEGATE}" --allowedTools Bash,Agent $EVENTS > delegated.json
echo "subagent model: $(grep -o 'sub-42' delegated.json | head -n 1)"
echo "wrong key: $(ANTHROPIC_AUTH_TOKEN=wrong ask Hello --tools '' | last)"

# The provider refuses a second question as too long, until the client has summarized the first.
session=00000000-0000-4000-8000-000000000001
ask Hello --tools '' --model anthropic/short-context --session-id "$session" > /dev/null
echo "compacted: $(ask Again --tools '' --model anthropic/short-context --resume "$session" $EVENTS | grep -o compact_boundary)"
echo "models: $(curl -s "$ANTHROPIC_BASE_URL/v1/models" -H "authorization: Bearer $ANTHROPIC_AUTH_TOKEN" -H 'anthropic-version: 2023-06-01' | grep -q '"has_more"' && echo true)"

# The gateway as an MCP server, added as docs/mcp.md has it. A long result arrives with its beginning.
claude mcp add --transport http gatehouse "$GATEHOUSE_URL/v3/mcp" --header "Authorization: Bearer $GATEHOUSE_API_KEY" > /dev/null
tool() { ask "Call mcp__gatehouse__$1 with $2" --tools '' --allowedTools mcp__gatehouse; }
echo "mcp: $(tool gatehouse_run_tool '{"name":"gatehouse_translation_language_detection","arguments":{"text":"Guten Morgen"}}' | grep -o '"language":"de"' | head -n 1)"
echo "long result: $(tool gatehouse_list_models '{}' | grep -o 'Cut after 20000' | head -n 1)"
