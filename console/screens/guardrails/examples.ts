import type { CheckName } from '../../../src/contract/admin/guardrails.ts'

type Example = { title: string; params: Readonly<Record<string, unknown>> }

/** Every check with what it needs at least. Each is valid, but the addresses, models and secrets are to be replaced. */
export const CHECK_EXAMPLES: Readonly<Record<CheckName, Example>> = {
  patterns: { title: 'Words and patterns', params: { words: ['confidential'] } },
  secrets: { title: 'Secrets', params: {} },
  personal_data: { title: 'Personal data', params: {} },
  anonymization: { title: 'Names and addresses', params: { provider: 'local', kinds: ['Name', 'Address'] } },
  presidio: { title: 'Presidio', params: { endpoint: 'http://presidio-analyzer:3000' } },
  bedrock: { title: 'Amazon Bedrock Guardrails', params: { guardrail: 'abc123', version: '1' } },
  model_armor: {
    title: 'Google Cloud Model Armor',
    params: { template: 'projects/my-project/locations/europe-west4/templates/strict' },
  },
  lakera: { title: 'Lakera Guard', params: { credential: 'env:LAKERA_API_KEY' } },
  external: {
    title: 'Custom service',
    params: { url: 'http://guard.internal/check', credential: 'env:GUARD_SECRET' },
  },
  moderation: { title: 'Moderation', params: { provider: 'openai', threshold: 0.5 } },
  azure_content_safety: {
    title: 'Azure AI Content Safety',
    params: {
      endpoint: 'https://my-resource.cognitiveservices.azure.com',
      credential: 'env:CONTENT_SAFETY_KEY',
      api: 'shield_prompt',
    },
  },
  prompt_guard: { title: 'Prompt Guard', params: { model: 'groq/meta-llama/llama-prompt-guard-2-86m' } },
  llama_guard: { title: 'Llama Guard', params: { model: 'groq/meta-llama/llama-guard-4-12b' } },
  injection: { title: 'Prompt injection (model as judge)', params: { model: 'openai/gpt-5-mini', max_cost: 0.01 } },
  judge: {
    title: 'Custom judge (model)',
    params: { model: 'openai/gpt-5-mini', instructions: 'No legal advice.', reasons: ['legal_advice'], max_cost: 0.01 },
  },
}

/** What people call a check. One that this console does not know has the name of the API. */
export function checkTitle(check: string): string {
  return (CHECK_EXAMPLES as Readonly<Record<string, Example>>)[check]?.title ?? check
}

/** `personal_data: email`, as the API names what was found, in the words of the forms. */
export function findingText(found: string): string {
  const [check = '', ...rule] = found.split(': ')
  return [checkTitle(check), ...rule].join(': ')
}
