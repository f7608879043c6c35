import speechToTextOpenai from './audio/speech_to_text_async/openai.ts'
import ttsOpenai from './audio/tts/openai.ts'
import type { Adapter, Feature, SlowAdapter } from './feature.ts'
import imageGenerationOpenai from './image/generation/openai.ts'
import anonymizationAmazon from './text/anonymization/amazon.ts'
import anonymizationGoogle from './text/anonymization/google.ts'
import anonymizationMicrosoft from './text/anonymization/microsoft.ts'
import keywordExtractionAmazon from './text/keyword_extraction/amazon.ts'
import keywordExtractionMicrosoft from './text/keyword_extraction/microsoft.ts'
import moderationAmazon from './text/moderation/amazon.ts'
import moderationGoogle from './text/moderation/google.ts'
import moderationMicrosoft from './text/moderation/microsoft.ts'
import moderationMistral from './text/moderation/mistral.ts'
import namedEntityRecognitionAmazon from './text/named_entity_recognition/amazon.ts'
import namedEntityRecognitionGoogle from './text/named_entity_recognition/google.ts'
import namedEntityRecognitionMicrosoft from './text/named_entity_recognition/microsoft.ts'
import sentimentAnalysisAmazon from './text/sentiment_analysis/amazon.ts'
import sentimentAnalysisGoogle from './text/sentiment_analysis/google.ts'
import sentimentAnalysisMicrosoft from './text/sentiment_analysis/microsoft.ts'
import topicExtractionGoogle from './text/topic_extraction/google.ts'
import languageDetectionAmazon from './translation/language_detection/amazon.ts'
import languageDetectionGoogle from './translation/language_detection/google.ts'
import languageDetectionMicrosoft from './translation/language_detection/microsoft.ts'
import ocrAmazon from './ocr/ocr/amazon.ts'
import ocrMicrosoft from './ocr/ocr/microsoft.ts'
import ocrTablesAmazon from './ocr/ocr_tables_async/amazon.ts'
import ocrTablesMicrosoft from './ocr/ocr_tables_async/microsoft.ts'
import ocrAsyncAmazon from './ocr/ocr_async/amazon.ts'
import ocrAsyncMicrosoft from './ocr/ocr_async/microsoft.ts'
import ocrGoogle from './ocr/ocr/google.ts'
import ocrMistral from './ocr/ocr/mistral.ts'
import ocrAsyncGoogle from './ocr/ocr_async/google.ts'
import ocrAsyncMistral from './ocr/ocr_async/mistral.ts'
import ocrTablesAsyncGoogle from './ocr/ocr_tables_async/google.ts'
import ocrTablesAsyncMistral from './ocr/ocr_tables_async/mistral.ts'
import financialParserAmazon from './ocr/financial_parser/amazon.ts'
import financialParserGoogle from './ocr/financial_parser/google.ts'
import financialParserMicrosoft from './ocr/financial_parser/microsoft.ts'
import identityParserAmazon from './ocr/identity_parser/amazon.ts'
import identityParserMicrosoft from './ocr/identity_parser/microsoft.ts'
import ttsAmazon from './audio/tts/amazon.ts'
import ttsGoogle from './audio/tts/google.ts'
import ttsMicrosoft from './audio/tts/microsoft.ts'
import translationAmazon from './translation/automatic_translation/amazon.ts'
import translationGoogle from './translation/automatic_translation/google.ts'
import translationMicrosoft from './translation/automatic_translation/microsoft.ts'
import documentTranslationAmazon from './translation/document_translation/amazon.ts'
import documentTranslationGoogle from './translation/document_translation/google.ts'
import documentTranslationMicrosoft from './translation/document_translation/microsoft.ts'
import speechToTextAmazon from './audio/speech_to_text_async/amazon.ts'
import speechToTextGoogle from './audio/speech_to_text_async/google.ts'
import speechToTextMicrosoft from './audio/speech_to_text_async/microsoft.ts'
import speechToTextMistral from './audio/speech_to_text_async/mistral.ts'
import backgroundRemovalAmazon from './image/background_removal/amazon.ts'
import explicitContentAmazon from './image/explicit_content/amazon.ts'
import explicitContentGoogle from './image/explicit_content/google.ts'
import explicitContentMicrosoft from './image/explicit_content/microsoft.ts'
import explicitContentOpenai from './image/explicit_content/openai.ts'
import faceCompareAmazon from './image/face_compare/amazon.ts'
import faceDetectionAmazon from './image/face_detection/amazon.ts'
import faceDetectionGoogle from './image/face_detection/google.ts'
import faceRecognitionAmazon from './image/face_recognition/amazon.ts'
import logoDetectionGoogle from './image/logo_detection/google.ts'
import logoDetectionMicrosoft from './image/logo_detection/microsoft.ts'
import objectDetectionAmazon from './image/object_detection/amazon.ts'
import objectDetectionGoogle from './image/object_detection/google.ts'
import objectDetectionMicrosoft from './image/object_detection/microsoft.ts'
import embeddingsMistral from './text/embeddings/mistral.ts'
import videoGenerationAsyncAmazon from './video/generation_async/amazon.ts'
import videoGenerationAsyncGoogle from './video/generation_async/google.ts'
import { MAKER_ADAPTERS } from './maker-adapters.ts'
import { sandboxAdapter } from './sandbox-adapter.ts'
import languageDetectionLocal from './translation/language_detection/local.ts'
import sentimentAnalysisLocal from './text/sentiment_analysis/local.ts'
import moderationLocal from './text/moderation/local.ts'
import namedEntityRecognitionLocal from './text/named_entity_recognition/local.ts'
import keywordExtractionLocal from './text/keyword_extraction/local.ts'
import topicExtractionLocal from './text/topic_extraction/local.ts'
import summarizeLocal from './text/summarize/local.ts'
import anonymizationLocal from './text/anonymization/local.ts'
import spellCheckLocal from './text/spell_check/local.ts'
import ocrLocal from './ocr/ocr/local.ts'
import ocrAsyncLocal from './ocr/ocr_async/local.ts'
import barcodeDetectionLocal from './image/barcode_detection/local.ts'
import embeddingsOpenai from './text/embeddings/openai.ts'
import moderationOpenai from './text/moderation/openai.ts'

const SANDBOX = 'sandbox'

/** Every adapter, by its address. */
const ADAPTERS: ReadonlyMap<string, Adapter | SlowAdapter> = new Map<string, Adapter | SlowAdapter>([
  ['audio/speech_to_text_async/openai', speechToTextOpenai],
  ['audio/tts/openai', ttsOpenai],
  ['image/generation/openai', imageGenerationOpenai],
  ['text/embeddings/openai', embeddingsOpenai],
  ['text/moderation/openai', moderationOpenai],
  ['text/anonymization/amazon', anonymizationAmazon],
  ['text/anonymization/google', anonymizationGoogle],
  ['text/anonymization/microsoft', anonymizationMicrosoft],
  ['text/keyword_extraction/amazon', keywordExtractionAmazon],
  ['text/keyword_extraction/microsoft', keywordExtractionMicrosoft],
  ['text/moderation/amazon', moderationAmazon],
  ['text/moderation/google', moderationGoogle],
  ['text/moderation/microsoft', moderationMicrosoft],
  ['text/moderation/mistral', moderationMistral],
  ['text/named_entity_recognition/amazon', namedEntityRecognitionAmazon],
  ['text/named_entity_recognition/google', namedEntityRecognitionGoogle],
  ['text/named_entity_recognition/microsoft', namedEntityRecognitionMicrosoft],
  ['text/sentiment_analysis/amazon', sentimentAnalysisAmazon],
  ['text/sentiment_analysis/google', sentimentAnalysisGoogle],
  ['text/sentiment_analysis/microsoft', sentimentAnalysisMicrosoft],
  ['text/topic_extraction/google', topicExtractionGoogle],
  ['translation/language_detection/amazon', languageDetectionAmazon],
  ['translation/language_detection/google', languageDetectionGoogle],
  ['translation/language_detection/microsoft', languageDetectionMicrosoft],
  ['ocr/ocr/amazon', ocrAmazon],
  ['ocr/ocr/microsoft', ocrMicrosoft],
  ['ocr/ocr_tables_async/amazon', ocrTablesAmazon],
  ['ocr/ocr_tables_async/microsoft', ocrTablesMicrosoft],
  ['ocr/ocr_async/amazon', ocrAsyncAmazon],
  ['ocr/ocr_async/microsoft', ocrAsyncMicrosoft],
  ['ocr/ocr/google', ocrGoogle],
  ['ocr/ocr/mistral', ocrMistral],
  ['ocr/ocr_async/google', ocrAsyncGoogle],
  ['ocr/ocr_async/mistral', ocrAsyncMistral],
  ['ocr/ocr_tables_async/google', ocrTablesAsyncGoogle],
  ['ocr/ocr_tables_async/mistral', ocrTablesAsyncMistral],
  ['ocr/financial_parser/amazon', financialParserAmazon],
  ['ocr/financial_parser/google', financialParserGoogle],
  ['ocr/financial_parser/microsoft', financialParserMicrosoft],
  ['ocr/identity_parser/amazon', identityParserAmazon],
  ['ocr/identity_parser/microsoft', identityParserMicrosoft],
  ['audio/tts/amazon', ttsAmazon],
  ['audio/tts/google', ttsGoogle],
  ['audio/tts/microsoft', ttsMicrosoft],
  ['translation/automatic_translation/amazon', translationAmazon],
  ['translation/automatic_translation/google', translationGoogle],
  ['translation/automatic_translation/microsoft', translationMicrosoft],
  ['translation/document_translation/amazon', documentTranslationAmazon],
  ['translation/document_translation/google', documentTranslationGoogle],
  ['translation/document_translation/microsoft', documentTranslationMicrosoft],
  ['audio/speech_to_text_async/amazon', speechToTextAmazon],
  ['audio/speech_to_text_async/google', speechToTextGoogle],
  ['audio/speech_to_text_async/microsoft', speechToTextMicrosoft],
  ['audio/speech_to_text_async/mistral', speechToTextMistral],
  ['image/background_removal/amazon', backgroundRemovalAmazon],
  ['image/explicit_content/amazon', explicitContentAmazon],
  ['image/explicit_content/google', explicitContentGoogle],
  ['image/explicit_content/microsoft', explicitContentMicrosoft],
  ['image/explicit_content/openai', explicitContentOpenai],
  ['image/face_compare/amazon', faceCompareAmazon],
  ['image/face_detection/amazon', faceDetectionAmazon],
  ['image/face_detection/google', faceDetectionGoogle],
  ['image/face_recognition/amazon', faceRecognitionAmazon],
  ['image/logo_detection/google', logoDetectionGoogle],
  ['image/logo_detection/microsoft', logoDetectionMicrosoft],
  ['image/object_detection/amazon', objectDetectionAmazon],
  ['image/object_detection/google', objectDetectionGoogle],
  ['image/object_detection/microsoft', objectDetectionMicrosoft],
  ['text/embeddings/mistral', embeddingsMistral],
  ['video/generation_async/amazon', videoGenerationAsyncAmazon],
  ['video/generation_async/google', videoGenerationAsyncGoogle],
  ...MAKER_ADAPTERS,
  ['translation/language_detection/local', languageDetectionLocal],
  ['text/sentiment_analysis/local', sentimentAnalysisLocal],
  ['text/moderation/local', moderationLocal],
  ['text/named_entity_recognition/local', namedEntityRecognitionLocal],
  ['text/keyword_extraction/local', keywordExtractionLocal],
  ['text/topic_extraction/local', topicExtractionLocal],
  ['text/summarize/local', summarizeLocal],
  ['text/anonymization/local', anonymizationLocal],
  ['text/spell_check/local', spellCheckLocal],
  ['ocr/ocr/local', ocrLocal],
  ['ocr/ocr_async/local', ocrAsyncLocal],
  ['image/barcode_detection/local', barcodeDetectionLocal],
])

/** One provider's way to do a task; every task can be simulated. */
export function findAdapter(feature: Feature, provider: string): Adapter | SlowAdapter | undefined {
  return provider === SANDBOX ? sandboxAdapter(feature) : ADAPTERS.get(addressOf(feature, provider))
}

/** Who has an adapter for the task. Chat models that can do it too are not among them. */
export function providersOf(feature: Feature): string[] {
  const start = addressOf(feature, '')
  const own = [...ADAPTERS.keys()].filter((address) => address.startsWith(start))
  return [...own.map((address) => address.slice(start.length)), SANDBOX]
}

function addressOf({ feature, subfeature }: Feature, provider: string): string {
  return `${feature}/${subfeature}/${provider}`
}
