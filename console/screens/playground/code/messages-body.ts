import type { ChatBody, Message } from '../chat/chat-body.ts'
import type { ServerField, ToolField } from '../chat/tool-draft.ts'

// A chat of the playground in the messages format of Anthropic: what bodyFor writes, and nothing else.

/** The format demands a number. */
const DEFAULT_MAX_TOKENS = 1024

export function messagesBody({ model, messages, tools = [], ...body }: ChatBody): object {
  const servers = tools.flatMap((tool) => (tool.type === 'mcp' ? tool.server_label : []))
  const system = messages.find(({ role }) => role === 'system')?.content
  return {
    model,
    max_tokens: body.max_tokens ?? DEFAULT_MAX_TOKENS,
    ...(system && { system }),
    messages: joined(messages.flatMap(messageOf)),
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(servers.length > 0 && { mcp_servers: servers.map((name) => ({ type: 'url', name })) }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    stream: true,
  }
}

type Written = { role: 'user' | 'assistant'; content: string | object[] }

function messageOf(message: Message): Written[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [{ role: 'user', content: contentOf(message.content) }]
    case 'tool':
      return [{ role: 'user', content: [resultOf(message)] }]
    case 'assistant':
      return [{ role: 'assistant', content: answerOf(message) }]
  }
}

function contentOf(content: Extract<Message, { role: 'user' }>['content']): string | object[] {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part : { type: 'image', source: sourceOf(part.image_url.url) }))
}

function sourceOf(url: string): object {
  const [, type, data] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? []
  return type ? { type: 'base64', media_type: type, data } : { type: 'url', url }
}

function resultOf({ tool_call_id: id, content }: Extract<Message, { role: 'tool' }>): object {
  return { type: 'tool_result', tool_use_id: id, content }
}

function answerOf({ content, tool_calls: calls = [] }: Extract<Message, { role: 'assistant' }>): string | object[] {
  if (calls.length === 0) return content ?? ''
  const said = content ? [{ type: 'text', text: content }] : []
  return [...said, ...calls.map(({ id, function: { name, arguments: written } }) => useOf(id, name, written))]
}

/** A model may have written something else than JSON. */
function useOf(id: string, name: string, written: string): object {
  try {
    return { type: 'tool_use', id, name, input: JSON.parse(written === '' ? '{}' : written) }
  } catch {
    return { type: 'tool_use', id, name, input: {} }
  }
}

function toolOf(tool: ToolField | ServerField): object {
  if (tool.type === 'mcp') return { type: 'mcp_toolset', mcp_server_name: tool.server_label }
  const { name, description, parameters } = tool.function
  return { name, ...(description && { description }), input_schema: parameters }
}

/** All results of one answer stand in one message, with what the person says next. */
function joined(messages: readonly Written[]): Written[] {
  const all: Written[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      all[all.length - 1] = { role: 'user', content: [...partsOf(last.content), ...partsOf(message.content)] }
    else all.push(message)
  }
  return all
}

function partsOf(content: string | object[]): object[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
