import type { AddressParam, Auth, ProviderRow } from './provider.ts'

// The clouds have a service per kind of task, each at an address of its own. `{PARAMETER}`s are variables: one that is
// missing is asked for when a task needs it, and not before.

const GOOGLE_PROJECT = 'projects/{GOOGLE_CLOUD_PROJECT}'
const GOOGLE_SPEECH = 'https://{GOOGLE_SPEECH_LOCATION}-speech.googleapis.com/v2'
const GOOGLE_DOCUMENTS =
  'https://{GOOGLE_DOCUMENTS_LOCATION}-documentai.googleapis.com/v1/' +
  `${GOOGLE_PROJECT}/locations/{GOOGLE_DOCUMENTS_LOCATION}/processors`

/** Signed for the service by its name; files of tasks that want them in a bucket are put into the operator's own. */
export const AMAZON_SERVICES = {
  comprehend: 'https://comprehend.{AWS_REGION}.amazonaws.com',
  polly: 'https://polly.{AWS_REGION}.amazonaws.com',
  rekognition: 'https://rekognition.{AWS_REGION}.amazonaws.com',
  s3: 'https://s3.{AWS_REGION}.amazonaws.com/{AMAZON_STAGING_BUCKET}',
  textract: 'https://textract.{AWS_REGION}.amazonaws.com',
  transcribe: 'https://transcribe.{AWS_REGION}.amazonaws.com',
  translate: 'https://translate.{AWS_REGION}.amazonaws.com',
}

export const GOOGLE_SERVICES = {
  dlp: `https://dlp.googleapis.com/v2/${GOOGLE_PROJECT}`,
  documents: `https://translation.googleapis.com/v3/${GOOGLE_PROJECT}/locations/global`,
  'expense-parser': `${GOOGLE_DOCUMENTS}/{GOOGLE_EXPENSE_PROCESSOR}`,
  'form-parser': `${GOOGLE_DOCUMENTS}/{GOOGLE_FORM_PROCESSOR}`,
  'identity-parser': `${GOOGLE_DOCUMENTS}/{GOOGLE_IDENTITY_PROCESSOR}`,
  'invoice-parser': `${GOOGLE_DOCUMENTS}/{GOOGLE_INVOICE_PROCESSOR}`,
  language: 'https://language.googleapis.com',
  speech: `${GOOGLE_SPEECH}/${GOOGLE_PROJECT}/locations/{GOOGLE_SPEECH_LOCATION}`,
  'speech-operations': GOOGLE_SPEECH,
  storage: 'https://storage.googleapis.com/{GOOGLE_STAGING_BUCKET}',
  texttospeech: 'https://texttospeech.googleapis.com',
  translation: 'https://translation.googleapis.com',
  vision: 'https://vision.googleapis.com',
}

/** Parameters of services that have a usual value. */
export const SERVICE_DEFAULTS: Readonly<Record<string, string>> = {
  GOOGLE_DOCUMENTS_LOCATION: 'us',
  GOOGLE_SPEECH_LOCATION: 'us',
}

/** Values of such parameters that keep a call in a region. */
export const SERVICE_REGIONS: Readonly<Record<string, AddressParam['regions']>> = {
  GOOGLE_DOCUMENTS_LOCATION: { eu: ['eu'], us: ['us'] },
  GOOGLE_SPEECH_LOCATION: { eu: ['eu'], us: ['us'] },
}

/** What opens the services of a provider where the key of its models does not, by the provider's name. */
export const SERVICE_AUTH: Readonly<Record<string, Auth>> = {
  amazon: { scheme: 'aws', env: 'AWS_ACCESS_KEY_ID' },
  google: { scheme: 'google', env: 'GOOGLE_APPLICATION_CREDENTIALS' },
}

/** Who does tasks only. */
export const TASK_CLOUDS: Record<string, ProviderRow> = {
  // One key for all of Azure's own services; its chat models are the row `azure`.
  microsoft: {
    name: 'Microsoft Azure AI services',
    chatOf: 'azure',
    baseUrl: 'https://{MICROSOFT_RESOURCE_NAME}.cognitiveservices.azure.com',
    params: { MICROSOFT_RESOURCE_NAME: {} },
    services: { tts: 'https://{MICROSOFT_REGION}.tts.speech.microsoft.com' },
    auth: { scheme: 'header', header: 'ocp-apim-subscription-key', env: 'MICROSOFT_API_KEY' },
  },
}
