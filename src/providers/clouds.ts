import { hosted, newLimit, oldLimit } from './hosted.ts'
import type { AddressParam, ProviderRow } from './provider.ts'

/** London (eu-west-2) and Zurich (eu-central-2) are left out on purpose: their names say Europe, not the Union. */
export const AWS_REGION: AddressParam = {
  default: 'us-east-1',
  regions: {
    eu: ['eu-central-1', 'eu-north-1', 'eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-3'],
    us: ['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
  },
}

/** Who gives every customer an address of their own: where it stands, only the customer knows. */
export const CLOUDS: Record<string, ProviderRow> = {
  azure: {
    name: 'Microsoft Azure',
    aliases: ['azure-openai'],
    dialect: 'openai',
    baseUrl: 'https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1',
    params: { AZURE_RESOURCE_NAME: {} },
    auth: { scheme: 'header', header: 'api-key', env: 'AZURE_API_KEY' },
    quirks: newLimit('web_search_options'),
    habits: { developer: true, thoughts: 'refused' },
  },
  // The models that Amazon serves in the OpenAI format, with a Bedrock key; the row `amazon` has them all.
  'bedrock-openai': hosted(
    'Amazon Bedrock (OpenAI format)',
    'https://bedrock-runtime.{AWS_REGION}.amazonaws.com/openai/v1',
    'AWS_BEARER_TOKEN_BEDROCK',
    {
      baseUrlEnv: 'BEDROCK_OPENAI_BASE_URL',
      params: { AWS_REGION },
      quirks: newLimit(),
      habits: { thoughts: 'refused' },
    },
  ),
  cloudflare: hosted(
    'Cloudflare Workers AI',
    'https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1',
    'CLOUDFLARE_API_KEY',
    { aliases: ['cloudflare-workers-ai'], params: { CLOUDFLARE_ACCOUNT_ID: {} }, quirks: oldLimit('store') },
  ),
  // The layer in the OpenAI format over the models of the row `cohere`, with the same key.
  'cohere-openai': hosted('Cohere (OpenAI format)', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY', {
    baseUrlEnv: 'COHERE_OPENAI_BASE_URL',
    quirks: oldLimit('logit_bias', 'parallel_tool_calls'),
    choices: 'one',
  }),
  databricks: hosted('Databricks', 'https://{DATABRICKS_HOST}/serving-endpoints', 'DATABRICKS_TOKEN', {
    params: { DATABRICKS_HOST: {} },
    quirks: oldLimit(),
  }),
  // The same of the row `google`.
  'google-openai': hosted(
    'Google (OpenAI format)',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    'GEMINI_API_KEY',
    { aliases: ['gemini-openai'], baseUrlEnv: 'GEMINI_OPENAI_BASE_URL' },
  ),
  snowflake: hosted(
    'Snowflake',
    'https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com/api/v2/cortex/v1',
    'SNOWFLAKE_CORTEX_PAT',
    { baseUrlEnv: 'SNOWFLAKE_BASE_URL', params: { SNOWFLAKE_ACCOUNT: {} }, quirks: newLimit() },
  ),
}
