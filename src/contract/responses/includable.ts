/** Parts of items that lists leave out, unless a client asks for them. */
export const INCLUDABLE_FIELDS = [
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
] as const

export type IncludableField = (typeof INCLUDABLE_FIELDS)[number]
