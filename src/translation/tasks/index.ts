import type { Feature } from './feature.ts'
import textAiDetection from './text/ai_detection/feature.ts'
import textModeration from './text/moderation/feature.ts'
import textNamedEntityRecognition from './text/named_entity_recognition/feature.ts'
import textPlagiaDetection from './text/plagia_detection/feature.ts'
import textSpellCheck from './text/spell_check/feature.ts'
import textTopicExtraction from './text/topic_extraction/feature.ts'
import webBatchScrapeAsync from './web/batch_scrape_async/feature.ts'
import webCrawlAsync from './web/crawl_async/feature.ts'
import webMap from './web/map/feature.ts'
import webResearchAsync from './web/research_async/feature.ts'
import webScraping from './web/scraping/feature.ts'
import webSearch from './web/search/feature.ts'
import webStructuredExtractionAsync from './web/structured_extraction_async/feature.ts'
import ocrFinancialParser from './ocr/financial_parser/feature.ts'
import ocrIdentityParser from './ocr/identity_parser/feature.ts'
import ocrOcr from './ocr/ocr/feature.ts'
import ocrOcrAsync from './ocr/ocr_async/feature.ts'
import ocrOcrTablesAsync from './ocr/ocr_tables_async/feature.ts'
import ocrResumeParser from './ocr/resume_parser/feature.ts'
import imageAiDetection from './image/ai_detection/feature.ts'
import imageAnonymization from './image/anonymization/feature.ts'
import imageBackgroundRemoval from './image/background_removal/feature.ts'
import imageBarcodeDetection from './image/barcode_detection/feature.ts'
import imageDeepfakeDetection from './image/deepfake_detection/feature.ts'
import imageExplicitContent from './image/explicit_content/feature.ts'
import imageFaceCompare from './image/face_compare/feature.ts'
import imageFaceDetection from './image/face_detection/feature.ts'
import imageFaceRecognition from './image/face_recognition/feature.ts'
import imageGeneration from './image/generation/feature.ts'
import imageLogoDetection from './image/logo_detection/feature.ts'
import imageObjectDetection from './image/object_detection/feature.ts'
import translationAutomaticTranslation from './translation/automatic_translation/feature.ts'
import translationDocumentTranslation from './translation/document_translation/feature.ts'
import audioSpeechToTextAsync from './audio/speech_to_text_async/feature.ts'
import audioTts from './audio/tts/feature.ts'
import videoDeepfakeDetectionAsync from './video/deepfake_detection_async/feature.ts'
import videoGenerationAsync from './video/generation_async/feature.ts'
import textAnonymization from './text/anonymization/feature.ts'
import textSentimentAnalysis from './text/sentiment_analysis/feature.ts'
import textKeywordExtraction from './text/keyword_extraction/feature.ts'
import textEmotionDetection from './text/emotion_detection/feature.ts'
import textEntitySentiment from './text/entity_sentiment/feature.ts'
import textSummarize from './text/summarize/feature.ts'
import textSyntaxAnalysis from './text/syntax_analysis/feature.ts'
import textEmbeddings from './text/embeddings/feature.ts'
import textQuestionAnswer from './text/question_answer/feature.ts'
import textSearch from './text/search/feature.ts'
import textCustomClassification from './text/custom_classification/feature.ts'
import textCustomNamedEntityRecognition from './text/custom_named_entity_recognition/feature.ts'
import textCodeGeneration from './text/code_generation/feature.ts'
import textPromptOptimization from './text/prompt_optimization/feature.ts'
import translationLanguageDetection from './translation/language_detection/feature.ts'

export const FEATURES: readonly Feature[] = [
  textAiDetection,
  textModeration,
  textNamedEntityRecognition,
  textPlagiaDetection,
  textSpellCheck,
  textTopicExtraction,
  webBatchScrapeAsync,
  webCrawlAsync,
  webMap,
  webResearchAsync,
  webScraping,
  webSearch,
  webStructuredExtractionAsync,
  ocrFinancialParser,
  ocrIdentityParser,
  ocrOcr,
  ocrOcrAsync,
  ocrOcrTablesAsync,
  ocrResumeParser,
  imageAiDetection,
  imageAnonymization,
  imageBackgroundRemoval,
  imageBarcodeDetection,
  imageDeepfakeDetection,
  imageExplicitContent,
  imageFaceCompare,
  imageFaceDetection,
  imageFaceRecognition,
  imageGeneration,
  imageLogoDetection,
  imageObjectDetection,
  translationAutomaticTranslation,
  translationDocumentTranslation,
  audioSpeechToTextAsync,
  audioTts,
  videoDeepfakeDetectionAsync,
  videoGenerationAsync,
  textAnonymization,
  textSentimentAnalysis,
  textKeywordExtraction,
  textEmotionDetection,
  textEntitySentiment,
  textSummarize,
  textSyntaxAnalysis,
  textEmbeddings,
  textQuestionAnswer,
  textSearch,
  textCustomClassification,
  textCustomNamedEntityRecognition,
  textCodeGeneration,
  textPromptOptimization,
  translationLanguageDetection,
]

const BY_NAME = new Map(FEATURES.map((one) => [`${one.feature}/${one.subfeature}`, one]))

export function findFeature(feature: string, subfeature: string): Feature | undefined {
  return BY_NAME.get(`${feature}/${subfeature}`)
}
