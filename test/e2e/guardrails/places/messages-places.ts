import { BASE64, hello, schemaWith, type Places, placesOf } from './place.ts'

/** Where text can be in a request in the messages format. */
export function messagesPlaces(): Places {
  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const assistant = (...content: object[]) => ({
    messages: [hello, { role: 'assistant', content: [...content, { type: 'text', text: 'x' }] }, hello],
  })
  const called = (call: object, result: object) => ({
    messages: [
      hello,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, ...call }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x', ...result }] },
    ],
  })
  const tool = (fields: object) => ({
    messages: [hello],
    tools: [{ name: 'f', input_schema: { type: 'object' }, ...fields }],
  })
  const ran = (name: string, result: object, input: object = {}) =>
    assistant(
      { type: 'server_tool_use', id: 'srvtoolu_1', name, input },
      { type: `${name}_tool_result`, tool_use_id: 'srvtoolu_1', content: result },
    )
  const fetched = (document: object) =>
    ran('web_fetch', {
      type: 'web_fetch_result',
      url: 'https://a.example/',
      content: { type: 'document', ...document },
    })
  const plain = (data: string) => ({ type: 'text', media_type: 'text/plain', data })
  const pdf = { type: 'base64', media_type: 'application/pdf', data: BASE64 }
  return placesOf(
    {
      'the system': (text) => ({ messages: [hello], system: text }),
      'a block of the system': (text) => ({ messages: [hello], system: [{ type: 'text', text }] }),
      'a message': (text) => ({ messages: [{ role: 'user', content: text }] }),
      'an earlier message': (text) => ({ messages: [{ role: 'user', content: text }, hello] }),
      'the second block': (text) => user({ type: 'text', text: 'Hi' }, { type: 'text', text }),
      'an answer': (text) => ({ messages: [hello, { role: 'assistant', content: text }, hello] }),
      'a block of an answer': (text) => assistant({ type: 'text', text }),
      'the title of a source': (text) =>
        assistant({
          type: 'text',
          text: 'x',
          citations: [{ type: 'web_search_result_location', url: 'https://a.example/', title: text, cited_text: 'x' }],
        }),
      reasoning: (text) => assistant({ type: 'thinking', thinking: text, signature: 'EqRs' }),
      'arguments of a call': (text) => called({ input: { type: text } }, {}),
      'the name of an argument': (text) => called({ input: { [text]: 1 } }, {}),
      'the result of a tool': (text) => called({}, { content: text }),
      'a block of the result of a tool': (text) =>
        called(
          {},
          {
            content: [
              { type: 'text', text: 'x' },
              { type: 'text', text },
            ],
          },
        ),
      'a document of the result of a tool': (text) =>
        called({}, { content: [{ type: 'document', source: plain(text) }] }),
      'a document': (text) => user({ type: 'document', source: plain(text) }),
      'a block of a document': (text) =>
        user({ type: 'document', source: { type: 'content', content: [{ type: 'text', text }] } }),
      'the title of a document': (text) => user({ type: 'document', title: text, source: pdf }),
      'what a document is about': (text) => user({ type: 'document', context: text, source: pdf }),
      'a search result': (text) =>
        user({ type: 'search_result', source: 'x', title: 'x', content: [{ type: 'text', text }] }),
      'the title of a search result': (text) =>
        user({ type: 'search_result', source: 'x', title: text, content: [{ type: 'text', text: 'x' }] }),
      'the source of a search result': (text) =>
        user({ type: 'search_result', source: text, title: 'x', content: [{ type: 'text', text: 'x' }] }),
      'the address of an image': (text) =>
        user({ type: 'image', source: { type: 'url', url: `https://a.example/?q=${text}` } }),
      'the alternative text of an image': (text) =>
        user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 }, alt: text }),
      'the description of a tool': (text) => tool({ description: text }),
      'an example of a tool': (text) => tool({ input_examples: [{ a: text }] }),
      'a schema': (text) => tool({ input_schema: schemaWith(text) }),
      'a format': (text) => ({
        messages: [hello],
        output_config: { format: { type: 'json_schema', schema: { title: text, type: 'object' } } },
      }),
      'a domain of a search': (text) => ({
        messages: [hello],
        tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: [text] }],
      }),
      'a server of tools': (text) => ({
        messages: [hello],
        mcp_servers: [{ type: 'url', url: 'https://mcp.example/', name: text }],
      }),
      'a query of the provider': (text) => ran('web_search', [], { query: text }),
      'a result of the provider': (text) =>
        ran('web_search', [
          { type: 'web_search_result', url: 'https://a.example/', title: text, encrypted_content: 'x' },
        ]),
      'a page that the provider has read': (text) => fetched({ source: plain(text) }),
      'the title of a page that the provider has read': (text) => fetched({ title: text, source: plain('x') }),
      'what code of the provider wrote': (text) =>
        ran('code_execution', { type: 'code_execution_result', stdout: text, stderr: '', return_code: 0, content: [] }),
      'the result of an MCP tool': (text) =>
        assistant(
          { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'f', server_name: 's', input: {} },
          { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [{ type: 'text', text }] },
        ),
      'a text at which to stop': (text) => ({ messages: [hello], stop_sequences: [text] }),
      metadata: (text) => ({ messages: [hello], metadata: { user_id: text } }),
      'an unknown field': (text) => ({ messages: [hello], notes: [{ deep: text }] }),
      'an unknown member': (text) => ({ messages: [{ ...hello, notes: { deep: text } }] }),
      'an unknown block': (text) => user({ type: 'note', deep: text }, { type: 'text', text: 'x' }),
      'a field of another format': (text) => ({ messages: [hello], contents: text }),
    },
    {
      'the name of a tool': (word) => tool({ name: word }),
      'the name of a called tool': (word) => called({ name: word }, {}),
    },
    {
      'the address of a document': (text) =>
        user({ type: 'document', source: { type: 'url', url: `https://a.example/?q=${text}` } }),
    },
  )
}
