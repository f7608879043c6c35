import { BASE64, schemaWith, type Places, placesOf } from './place.ts'

/** Where text can be in a request in the Gemini format. */
export function geminiPlaces(): Places {
  const user = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })
  const ask = user({ text: 'Hi' })
  const model = (...parts: object[]) => ({
    contents: [...ask.contents, { role: 'model', parts }, ...ask.contents],
  })
  const called = (call: object, result: object) => ({
    contents: [
      ...ask.contents,
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {}, ...call } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' }, ...result } }] },
    ],
  })
  const tool = (fields: object) => ({ ...ask, tools: [{ functionDeclarations: [{ name: 'f', ...fields }] }] })
  return placesOf(
    {
      instructions: (text) => ({ ...ask, systemInstruction: { parts: [{ text }] } }),
      'instructions that are a text': (text) => ({ ...ask, system_instruction: text }),
      'instructions that are repeated': (text) => ({
        ...ask,
        systemInstruction: { parts: [{ text: 'x' }] },
        system_instruction: { parts: [{ text }] },
      }),
      'a part': (text) => user({ text }),
      'the second part': (text) => user({ text: 'Hi' }, { text }),
      'an only part': (text) => ({ contents: { parts: { text } } }),
      'an earlier turn': (text) => ({ contents: [...user({ text }).contents, ...ask.contents] }),
      'an answer': (text) => model({ text }),
      reasoning: (text) => model({ text, thought: true, thoughtSignature: 'EqRs' }, { text: 'x' }),
      'arguments of a call': (text) => called({ args: { type: text } }, {}),
      'the name of an argument': (text) => called({ args: { [text]: 1 } }, {}),
      'the result of a tool': (output) => called({}, { response: { output } }),
      'a member of the result of a tool': (text) => called({}, { response: { a: [{ b: text }] } }),
      'the name of a file of the result of a tool': (displayName) =>
        called({}, { parts: [{ inlineData: { mimeType: 'application/pdf', data: BASE64, displayName } }] }),
      'the name of a file': (displayName) =>
        user({ inlineData: { mimeType: 'application/pdf', data: BASE64, displayName } }),
      'the alternative text of an image': (displayName) =>
        user({ inlineData: { mimeType: 'image/png', data: BASE64, displayName } }),
      'the address of an image': (text) =>
        user({ fileData: { mimeType: 'image/png', fileUri: `https://a.example/?q=${text}` } }),
      'the description of a tool': (description) => tool({ description }),
      'a schema': (text) =>
        tool({ parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', description: text } } } }),
      'a JSON schema': (text) => tool({ parametersJsonSchema: schemaWith(text) }),
      'a format': (title) => ({
        ...ask,
        generationConfig: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', title } },
      }),
      'a format as a JSON schema': (title) => ({
        ...ask,
        generation_config: { response_mime_type: 'application/json', response_json_schema: { type: 'object', title } },
      }),
      'a domain of a search': (text) => ({ ...ask, tools: [{ googleSearch: { excludeDomains: [text] } }] }),
      'code of the provider': (code) =>
        model(
          { executableCode: { language: 'PYTHON', code } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'x' } },
        ),
      'what code of the provider wrote': (output) =>
        model(
          { executableCode: { language: 'PYTHON', code: 'x' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output } },
        ),
      'code of the user': (code) => user({ text: 'Hi' }, { executableCode: { language: 'PYTHON', code } }),
      'a text at which to stop': (text) => ({ ...ask, generationConfig: { stopSequences: [text] } }),
      'a label': (text) => ({ ...ask, labels: { note: text } }),
      'an unknown field': (text) => ({ ...ask, notes: [{ deep: text }] }),
      'an unknown setting': (text) => ({ ...ask, generationConfig: { notes: { deep: text } } }),
      'an unknown member': (text) => user({ text: 'Hi', notes: { deep: text } }),
      'a field of another format': (text) => ({ ...ask, messages: [{ role: 'user', content: text }] }),
    },
    {
      'the name of a tool': (word) => tool({ name: word }),
      'the name of a called tool': (word) => called({ name: word }, { name: word }),
    },
    {
      'the address of a file': (text) =>
        user({ file_data: { mime_type: 'application/pdf', file_uri: `https://a.example/?q=${text}` } }),
    },
  )
}
