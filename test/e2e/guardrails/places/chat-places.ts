import { BASE64, hello, schemaWith, type Places, placesOf } from './place.ts'

/** Where text can be in a chat completion. */
export function chatPlaces(): Places {
  const says = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const answered = (fields: object) => ({ messages: [hello, { role: 'assistant', content: 'x', ...fields }, hello] })
  const tool = (fields: object) => ({
    messages: [hello],
    tools: [{ type: 'function', function: { name: 'f', ...fields } }],
  })
  const called = (name: string, args: string, result: unknown = 'x') => ({
    messages: [
      hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: args } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: result },
    ],
  })
  return placesOf(
    {
      'the system': (text) => ({ messages: [{ role: 'system', content: text }, hello] }),
      'a message': (text) => ({ messages: [{ role: 'user', content: text }] }),
      'an earlier message': (text) => ({ messages: [{ role: 'user', content: text }, hello] }),
      'a part': (text) => says({ type: 'text', text }),
      'the second part': (text) => says({ type: 'text', text: 'Hi' }, { type: 'text', text }),
      'the author of a message': (text) => ({ messages: [{ ...hello, name: text }] }),
      'an answer': (text) => answered({ content: text }),
      'a part of an answer': (text) => answered({ content: [{ type: 'text', text }] }),
      'a refusal': (text) => answered({ content: null, refusal: text }),
      reasoning: (text) => answered({ reasoning_content: text }),
      'arguments of a call': (text) => called('f', JSON.stringify({ type: text })),
      'the name of an argument': (text) => called('f', JSON.stringify({ [text]: 1 })),
      'arguments that are no JSON': (text) => called('f', `{"a": ${text}`),
      'the result of a tool': (text) => called('f', '{}', text),
      'a part of the result of a tool': (text) => called('f', '{}', [{ type: 'text', text }]),
      'the name of a file': (text) =>
        says({ type: 'file', file: { filename: `${text}.txt`, file_data: 'data:text/plain;base64,eA==' } }),
      'the address of an image': (text) =>
        says({ type: 'image_url', image_url: { url: `https://a.example/?q=${text}` } }),
      'the alternative text of an image': (text) =>
        says({ type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}` }, alt: text }),
      'a member of an image': (text) =>
        says({ type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}`, alt: text } }),
      'a member of a recording': (transcript) =>
        says({ type: 'input_audio', input_audio: { data: BASE64, format: 'wav', transcript } }),
      'the description of a tool': (text) => tool({ description: text }),
      'a schema': (text) => tool({ parameters: schemaWith(text) }),
      'a format': (text) => ({
        messages: [hello],
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { title: text, type: 'object' } } },
      }),
      'a prediction': (text) => ({ messages: [hello], prediction: { type: 'content', content: text } }),
      'a text at which to stop': (text) => ({ messages: [hello], stop: [text] }),
      metadata: (text) => ({ messages: [hello], metadata: { note: text } }),
      'the name of metadata': (text) => ({ messages: [hello], metadata: { [text]: 'x' } }),
      'an unknown field': (text) => ({ messages: [hello], notes: [{ deep: text }] }),
      'an unknown member': (text) => ({ messages: [{ ...hello, notes: { deep: text } }] }),
      'a field of another format': (text) => ({ messages: [hello], contents: text }),
    },
    {
      'the name of a tool': (word) => tool({ name: word }),
      'the name of a called tool': (word) => called(word, '{}'),
    },
    {
      'the title of a source': (text) =>
        answered({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example/', title: text } }] }),
    },
  )
}
