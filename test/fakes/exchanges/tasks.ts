import { DRAWN, EMBEDDED } from './endpoints.ts'
import { exchangesOf } from './exchange.ts'
import { FORMATS } from './formats.ts'

// Tasks, and chats that need more than a model: hooks and documents.

const TRANSLATED = { translations: [{ detected_source_language: 'EN', text: 'Salut', billed_characters: 5 }] }
const SAID = {
  choices: [{ index: 0, message: { role: 'assistant', content: '{"result":"A text."}' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
}

export const TASKS = exchangesOf([
  [
    'task by a model',
    '/v3/universal-ai',
    { model: 'text/summarize/my-openai/m', input: { text: 'A long text.' }, show_original_response: true },
    SAID,
  ],
  [
    'task by vectors',
    '/v3/universal-ai',
    { model: 'text/embeddings/openai/text-embedding-3-small', input: { texts: ['Hi'] } },
    EMBEDDED,
  ],
  [
    'task of images',
    '/v3/universal-ai',
    { model: 'image/generation/openai/gpt-image-2', input: { text: 'A door', resolution: '1024x1024' } },
    DRAWN,
  ],
  [
    'task by an adapter',
    '/v3/universal-ai',
    {
      model: 'translation/automatic_translation/deepl',
      input: { text: 'Hi', target_language: 'fr' },
      provider_params: { formality: 'more' },
    },
    TRANSLATED,
  ],
  [
    'search on the web',
    '/v3/universal-ai',
    { model: 'web/search/tavily', input: { query: 'Rain' } },
    {
      query: 'Rain',
      results: [{ title: 'a', url: 'https://a.test', content: 'b', score: 0.9 }],
      usage: { credits: 1 },
    },
  ],
  [
    'scraping',
    '/v3/universal-ai',
    { model: 'web/scraping/firecrawl', input: { url: 'https://a.test' } },
    { success: true, data: { markdown: 'Hi', metadata: { sourceURL: 'https://a.test', creditsUsed: 1 } } },
  ],
  [
    'a hook that heals',
    '/v3/chat/completions',
    {
      model: 'my-openai/m',
      ...FORMATS.chat.plain,
      post_hooks: [{ action: 'json_heal', params: { json_schema: { type: 'object', required: ['a'] } } }],
    },
    { ...SAID, choices: [{ index: 0, message: { role: 'assistant', content: '{"a":1}' }, finish_reason: 'stop' }] },
  ],
  [
    'documents',
    '/v3/v2/chat',
    { model: 'my-cohere/m', ...FORMATS.cohere.plain, documents: [{ id: 'd', data: { text: 'Rain.' } }] },
    {
      id: 'a',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      usage: { tokens: { input_tokens: 3, output_tokens: 1 } },
    },
  ],
  [
    'a hook that translates',
    '/v3/chat/completions',
    {
      model: 'sandbox/echo',
      ...FORMATS.chat.plain,
      pre_hooks: [{ action: 'translate', params: { target_language: 'fr', provider: 'deepl' } }],
    },
    TRANSLATED,
  ],
])
