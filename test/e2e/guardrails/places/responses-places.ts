import { BASE64, hello, schemaWith, type Places, placesOf } from './place.ts'

/** Where text can be in a request in the responses format. */
export function responsesPlaces(): Places {
  const user = (...content: object[]) => ({ input: [{ role: 'user', content }] })
  const text = { type: 'input_text', text: 'Hi' }
  const assistant = (part: object) => ({
    input: [{ type: 'message', role: 'assistant', content: [part] }, hello],
  })
  const called = (call: object, result: object) => ({
    input: [
      hello,
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}', ...call },
      { type: 'function_call_output', call_id: 'c1', output: 'x', ...result },
    ],
  })
  const typed = (call: object, result: object) => ({
    input: [
      hello,
      { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x', ...call },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'x', ...result },
    ],
  })
  const item = (fields: object) => ({ input: [hello, fields, hello] })
  const tool = (fields: object) => ({ input: 'Hi', tools: [{ type: 'function', name: 'f', ...fields }] })
  return placesOf(
    {
      instructions: (text) => ({ input: 'Hi', instructions: text }),
      'the input': (text) => ({ input: text }),
      'a message': (text) => ({ input: [{ role: 'user', content: text }] }),
      'an earlier message': (text) => ({ input: [{ role: 'user', content: text }, hello] }),
      'a message of the developer': (text) => ({ input: [{ role: 'developer', content: text }, hello] }),
      'the second part': (one) => user(text, { type: 'input_text', text: one }),
      'an answer': (text) => assistant({ type: 'output_text', text, annotations: [] }),
      'a refusal': (text) => assistant({ type: 'refusal', refusal: text }),
      'the title of a source': (text) =>
        assistant({
          type: 'output_text',
          text: 'x',
          annotations: [{ type: 'url_citation', url: 'https://a.example/', title: text, start_index: 0, end_index: 1 }],
        }),
      reasoning: (text) => ({
        input: [
          hello,
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text }], encrypted_content: 'gAAA' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x', annotations: [] }] },
          hello,
        ],
      }),
      'arguments of a call': (text) => called({ arguments: JSON.stringify({ type: text }) }, {}),
      'the result of a tool': (text) => called({}, { output: text }),
      'a part of the result of a tool': (one) => called({}, { output: [text, { type: 'input_text', text: one }] }),
      'the name of a file of the result of a tool': (text) =>
        called({}, { output: [{ type: 'input_file', filename: text, file_data: `data:text/plain;base64,${BASE64}` }] }),
      'the input of a typed call': (text) => typed({ input: text }, {}),
      'the result of a typed call': (text) => typed({}, { output: text }),
      'the name of a file': (text) =>
        user({ type: 'input_file', filename: `${text}.txt`, file_data: `data:text/plain;base64,${BASE64}` }),
      'the address of an image': (text) => user({ type: 'input_image', image_url: `https://a.example/?q=${text}` }),
      'the alternative text of an image': (text) =>
        user({ type: 'input_image', image_url: `data:image/png;base64,${BASE64}`, alt: text }),
      'the description of a tool': (text) => tool({ description: text }),
      'a schema': (text) => tool({ parameters: schemaWith(text) }),
      'a grammar': (definition) => ({
        input: 'Hi',
        tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'lark', definition } }],
      }),
      'a tool of a group': (description) => ({
        input: 'Hi',
        tools: [
          { type: 'namespace', name: 'n', description: 'x', tools: [{ type: 'function', name: 'f', description }] },
        ],
      }),
      'a group of tools': (description) => ({
        input: 'Hi',
        tools: [{ type: 'namespace', name: 'n', description, tools: [{ type: 'function', name: 'f' }] }],
      }),
      'a domain of a search': (text) => ({
        input: 'Hi',
        tools: [{ type: 'web_search', filters: { allowed_domains: [text] } }],
      }),
      'a format': (text) => ({
        input: 'Hi',
        text: { format: { type: 'json_schema', name: 'x', schema: { title: text, type: 'object' } } },
      }),
      'a query of the provider': (query) =>
        item({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query } }),
      'the result of an MCP tool': (output) =>
        item({ type: 'mcp_call', id: 'mcp_1', name: 'f', server_label: 's', arguments: '{}', output }),
      metadata: (text) => ({ input: 'Hi', metadata: { note: text } }),
      'the end user': (text) => ({ input: 'Hi', safety_identifier: text }),
      'an unknown field': (text) => ({ input: 'Hi', notes: [{ deep: text }] }),
      'an unknown member': (text) => ({ input: [{ ...hello, notes: { deep: text } }] }),
      'an unknown part': (one) => user({ type: 'note', deep: one }, text),
      'a field of another format': (text) => ({ input: 'Hi', messages: [{ role: 'user', content: text }] }),
    },
    {
      'the name of a tool': (word) => tool({ name: word }),
      'the name of a called tool': (word) => called({ name: word }, {}),
    },
    {
      'the address of a file': (text) => user({ type: 'input_file', file_url: `https://a.example/?q=${text}` }),
      'code of the provider': (code) =>
        item({ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code, container_id: 'c', outputs: [] }),
    },
  )
}
