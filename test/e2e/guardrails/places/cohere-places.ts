import { BASE64, hello, schemaWith, type Places, placesOf } from './place.ts'

/** Where text can be in a request in Cohere's format. */
export function coherePlaces(): Places {
  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const answered = (fields: object) => ({ messages: [hello, { role: 'assistant', content: 'x', ...fields }, hello] })
  const called = (call: object, content: unknown = 'x', fields: object = {}) => ({
    messages: [
      hello,
      {
        role: 'assistant',
        ...fields,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}', ...call } }],
      },
      { role: 'tool', tool_call_id: 'c1', content },
    ],
  })
  const tool = (fields: object) => ({
    messages: [hello],
    tools: [{ type: 'function', function: { name: 'f', ...fields } }],
  })
  return placesOf(
    {
      'the system': (text) => ({ messages: [{ role: 'system', content: text }, hello] }),
      'a message': (text) => ({ messages: [{ role: 'user', content: text }] }),
      'an earlier message': (text) => ({ messages: [{ role: 'user', content: text }, hello] }),
      'the second block': (text) => user({ type: 'text', text: 'Hi' }, { type: 'text', text }),
      'an answer': (text) => answered({ content: text }),
      'the plan of a call': (tool_plan) => called({}, 'x', { tool_plan }),
      'arguments of a call': (text) => called({ arguments: JSON.stringify({ type: text }) }),
      'the result of a tool': (text) => called({}, text),
      'a document of the result of a tool': (text) => called({}, [{ type: 'document', document: { data: text } }]),
      'the address of an image': (text) =>
        user({ type: 'image_url', image_url: { url: `https://a.example/?q=${text}` } }),
      'a document': (text) => ({ messages: [hello], documents: [text] }),
      'a member of a document': (text) => ({ messages: [hello], documents: [{ id: 'd', data: { title: text } }] }),
      'the id of a document': (text) => ({ messages: [hello], documents: [{ id: text, data: { title: 'x' } }] }),
      'the description of a tool': (description) => tool({ description }),
      'a schema': (text) => tool({ parameters: schemaWith(text) }),
      'a format': (title) => ({
        messages: [hello],
        response_format: { type: 'json_object', json_schema: { type: 'object', title } },
      }),
      'a text at which to stop': (text) => ({ messages: [hello], stop_sequences: [text] }),
      'an unknown field': (text) => ({ messages: [hello], notes: [{ deep: text }] }),
      'a field of another format': (text) => ({ messages: [hello], contents: text }),
    },
    {
      'the name of a tool': (word) => tool({ name: word }),
      'the name of a called tool': (word) => called({ name: word }),
    },
    {
      reasoning: (thinking) =>
        answered({
          content: [
            { type: 'thinking', thinking },
            { type: 'text', text: 'x' },
          ],
        }),
      'a source': (text) => answered({ citations: [{ start: 0, end: 1, text, sources: [] }] }),
      'the alternative text of an image': (text) =>
        user({ type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}`, alt: text } }),
      'an unknown member': (text) => ({ messages: [{ ...hello, notes: { deep: text } }] }),
    },
  )
}
