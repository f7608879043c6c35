import { AWS_REGION, OCI_REGIONS } from './cloud-regions.ts'
import type { ProviderRow } from './provider.ts'
import { exchanging, hosted, onlyMaxCompletionTokens, onlyMaxTokens } from './row-builders.ts'

/** Clouds, where every customer has an address of its own; only the customer knows its region. */
export const CLOUD_PROVIDERS: Record<string, ProviderRow> = {
  azure: {
    name: 'Microsoft Azure',
    conventionName: 'azure.ai.openai',
    dataPolicy: {
      promise: 'no_training',
      source: 'https://learn.microsoft.com/en-us/azure/ai-foundry/responsible-ai/openai/data-privacy',
    },
    aliases: ['azure-openai'],
    dialect: 'openai',
    baseUrl: 'https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1',
    params: { AZURE_RESOURCE_NAME: {} },
    deployments: { path: '/openai/v1', dated: '/openai/deployments/{deployment}' },
    auth: { scheme: 'header', header: 'api-key', env: 'AZURE_API_KEY', identity: 'azure' },
    fieldRules: onlyMaxCompletionTokens('web_search_options'),
    compat: { developer: true, reasoning: 'refused' },
    openaiEndpoints: ['responses'],
    batches: {
      wire: 'openai',
      endpoints: ['/chat/completions', '/responses', '/embeddings'],
      factor: 0.5,
      source: 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch',
    },
    cacheKeys: true,
    responsesHosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'],
    governedFields: { conversation: 'state', data_sources: 'address', dataSources: 'address', prompt: 'state' },
  },
  // The models that Amazon serves in the OpenAI format, with a Bedrock key; the row `amazon` serves all models.
  'bedrock-openai': hosted(
    'Amazon Bedrock (OpenAI format)',
    'https://bedrock-runtime.{AWS_REGION}.amazonaws.com/openai/v1',
    'AWS_BEARER_TOKEN_BEDROCK',
    {
      baseUrlEnv: 'BEDROCK_OPENAI_BASE_URL',
      conventionName: 'aws.bedrock',
      params: { AWS_REGION },
      modelNaming: 'bedrock',
      fieldRules: onlyMaxCompletionTokens(),
      compat: { reasoning: 'refused', reasoningTag: 'reasoning' },
    },
  ),
  cloudflare: hosted(
    'Cloudflare Workers AI',
    'https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1',
    'CLOUDFLARE_API_KEY',
    {
      aliases: ['cloudflare-workers-ai'],
      params: { CLOUDFLARE_ACCOUNT_ID: {} },
      fieldRules: onlyMaxTokens('store'),
      // Several of its models send [DONE] and no finish reason.
      compat: { endsWithoutReason: 'always' },
    },
  ),
  // The layer in the OpenAI format over the models of the row `cohere`, with the same key.
  'cohere-openai': hosted('Cohere (OpenAI format)', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY', {
    baseUrlEnv: 'COHERE_OPENAI_BASE_URL',
    conventionName: 'cohere',
    fieldRules: onlyMaxTokens('logit_bias', 'parallel_tool_calls'),
    choices: 'one',
  }),
  databricks: hosted('Databricks', 'https://{DATABRICKS_HOST}/serving-endpoints', 'DATABRICKS_TOKEN', {
    params: { DATABRICKS_HOST: {} },
    fieldRules: onlyMaxTokens(),
    governedFields: { databricks_options: 'host', usage_context: 'payer' },
  }),
  // The layer in the OpenAI format over the models of the row `google`, with the same key.
  'google-openai': hosted(
    'Google (OpenAI format)',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    'GEMINI_API_KEY',
    {
      conventionName: 'gcp.gemini',
      aliases: ['gemini-openai'],
      baseUrlEnv: 'GEMINI_OPENAI_BASE_URL',
      fieldRules: { drop: ['store'] },
      compat: { reasoningTag: 'thought', reasoning: 'refused', signedCalls: true },
      governedFields: {
        cached_content: 'state',
        cachedContent: 'state',
        google: { why: 'state', keep: ['thinking_config', 'safety_settings', 'response_modalities', 'image_config'] },
      },
    },
  ),
  // Needs a key of Oracle's Generative AI service; the gateway does not sign requests for users of the cloud. Oracle also
  // documents the path /openai/v1: set OCI_GENAI_BASE_URL to use it.
  oci: hosted(
    'Oracle Cloud',
    'https://inference.generativeai.{OCI_REGION}.oci.oraclecloud.com/20231130/actions/v1',
    'OCI_GENAI_API_KEY',
    {
      aliases: ['oracle', 'oci-genai'],
      params: {
        OCI_REGION: { default: 'us-chicago-1', regions: OCI_REGIONS },
      },
      modelNaming: 'oracle',
      fieldRules: onlyMaxCompletionTokens(),
      governedFields: { compartmentId: 'payer', compartment_id: 'payer', servingMode: 'host', serving_mode: 'host' },
    },
  ),
  snowflake: hosted(
    'Snowflake',
    'https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com/api/v2/cortex/v1',
    'SNOWFLAKE_CORTEX_PAT',
    { baseUrlEnv: 'SNOWFLAKE_BASE_URL', params: { SNOWFLAKE_ACCOUNT: {} }, fieldRules: onlyMaxCompletionTokens() },
  ),
  // London (eu-gb) is not in the European Union.
  watsonx: exchanging(
    { kind: 'ibm', url: 'https://iam.cloud.ibm.com/identity/token', urlEnv: 'WATSONX_TOKEN_URL' },
    hosted('IBM watsonx', 'https://{WATSONX_REGION}.ml.cloud.ibm.com/ml/v1', 'WATSONX_API_KEY', {
      aliases: ['ibm', 'watsonx_ai'],
      conventionName: 'ibm.watsonx.ai',
      params: {
        WATSONX_REGION: { default: 'us-south', regions: { eu: ['eu-de'], us: ['us-south'] } },
        WATSONX_PROJECT_ID: { or: 'WATSONX_SPACE_ID', isProject: true },
      },
      fieldRules: {
        ...onlyMaxTokens(
          ...['stream_options', 'parallel_tool_calls', 'user', 'metadata', 'store', 'service_tier', 'verbosity'],
          ...['prediction', 'modalities', 'audio', 'web_search_options'],
        ),
        defaults: { project_id: '{WATSONX_PROJECT_ID}', space_id: '{WATSONX_SPACE_ID}' },
      },
      compat: { watsonx: true, reasoning: 'refused' },
      governedFields: { project_id: 'payer', space_id: 'payer' },
    }),
  ),
}
