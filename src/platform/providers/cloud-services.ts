import type { AddressParam } from './provider.ts'

// Amazon and Google have one service per kind of task, each at its own address. `{PARAMETER}`s are environment variables; a
// missing one is an error only when a task needs it.

const GOOGLE_PROJECT = 'projects/{GOOGLE_CLOUD_PROJECT}'
const GOOGLE_SPEECH = 'https://{GOOGLE_SPEECH_LOCATION}-speech.googleapis.com/v2'
const GOOGLE_DOCUMENTS =
  'https://{GOOGLE_DOCUMENTS_LOCATION}-documentai.googleapis.com/v1/' +
  `${GOOGLE_PROJECT}/locations/{GOOGLE_DOCUMENTS_LOCATION}/processors`

/** Requests are signed for the service's name. Tasks that read their file from a bucket use the operator's own bucket. */
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

/** Parameters of Google's services, with the values that keep a call in a region. */
export const GOOGLE_SERVICE_PARAMS: Readonly<Record<string, AddressParam>> = {
  GOOGLE_DOCUMENTS_LOCATION: { default: 'us', regions: { eu: ['eu'], us: ['us'] } },
  GOOGLE_SPEECH_LOCATION: { default: 'us', regions: { eu: ['eu'], us: ['us'] } },
}
