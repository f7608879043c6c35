import audioSpeechToTextAssembly from './audio/speech_to_text_async/assembly.ts'
import audioSpeechToTextDeepgram from './audio/speech_to_text_async/deepgram.ts'
import audioSpeechToTextElevenlabs from './audio/speech_to_text_async/elevenlabs.ts'
import audioSpeechToTextGladia from './audio/speech_to_text_async/gladia.ts'
import audioTtsDeepgram from './audio/tts/deepgram.ts'
import audioTtsElevenlabs from './audio/tts/elevenlabs.ts'
import type { Adapter, SlowAdapter } from './feature.ts'
import imageAiDetectionResemble from './image/ai_detection/resemble.ts'
import imageAiDetectionSightengine from './image/ai_detection/sightengine.ts'
import imageAiDetectionWinstonai from './image/ai_detection/winstonai.ts'
import imageAnonymizationApi4ai from './image/anonymization/api4ai.ts'
import imageBackgroundRemovalApi4ai from './image/background_removal/api4ai.ts'
import imageBackgroundRemovalClipdrop from './image/background_removal/clipdrop.ts'
import imageBackgroundRemovalPhotoroom from './image/background_removal/photoroom.ts'
import imageBackgroundRemovalStabilityai from './image/background_removal/stabilityai.ts'
import imageDeepfakeDetectionResemble from './image/deepfake_detection/resemble.ts'
import imageDeepfakeDetectionSightengine from './image/deepfake_detection/sightengine.ts'
import imageExplicitContentApi4ai from './image/explicit_content/api4ai.ts'
import imageExplicitContentSightengine from './image/explicit_content/sightengine.ts'
import imageFaceCompareFacepp from './image/face_compare/facepp.ts'
import imageFaceDetectionApi4ai from './image/face_detection/api4ai.ts'
import imageFaceDetectionFacepp from './image/face_detection/facepp.ts'
import imageLogoDetectionApi4ai from './image/logo_detection/api4ai.ts'
import imageObjectDetectionApi4ai from './image/object_detection/api4ai.ts'
import ocrFinancialParserAffinda from './ocr/financial_parser/affinda.ts'
import ocrFinancialParserBase64 from './ocr/financial_parser/base64.ts'
import ocrFinancialParserEagledoc from './ocr/financial_parser/eagledoc.ts'
import ocrFinancialParserKlippa from './ocr/financial_parser/klippa.ts'
import ocrFinancialParserMindee from './ocr/financial_parser/mindee.ts'
import ocrFinancialParserVeryfi from './ocr/financial_parser/veryfi.ts'
import ocrIdentityParserAffinda from './ocr/identity_parser/affinda.ts'
import ocrIdentityParserBase64 from './ocr/identity_parser/base64.ts'
import ocrIdentityParserKlippa from './ocr/identity_parser/klippa.ts'
import ocrIdentityParserMindee from './ocr/identity_parser/mindee.ts'
import ocrOcrApi4ai from './ocr/ocr/api4ai.ts'
import ocrResumeParserAffinda from './ocr/resume_parser/affinda.ts'
import ocrResumeParserKlippa from './ocr/resume_parser/klippa.ts'
import textAiDetectionSapling from './text/ai_detection/sapling.ts'
import textAiDetectionWinstonai from './text/ai_detection/winstonai.ts'
import textPlagiaDetectionWinstonai from './text/plagia_detection/winstonai.ts'
import textSentimentAnalysisSapling from './text/sentiment_analysis/sapling.ts'
import textSpellCheckProwritingaid from './text/spell_check/prowritingaid.ts'
import textSpellCheckSapling from './text/spell_check/sapling.ts'
import translationAutomaticTranslationDeepl from './translation/automatic_translation/deepl.ts'
import translationAutomaticTranslationModernmt from './translation/automatic_translation/modernmt.ts'
import translationDocumentTranslationDeepl from './translation/document_translation/deepl.ts'
import translationLanguageDetectionModernmt from './translation/language_detection/modernmt.ts'
import videoDeepfakeDetectionResemble from './video/deepfake_detection_async/resemble.ts'
import videoGenerationBytedance from './video/generation_async/bytedance.ts'
import videoGenerationMinimax from './video/generation_async/minimax.ts'
import webBatchScrapeFirecrawl from './web/batch_scrape_async/firecrawl.ts'
import webCrawlFirecrawl from './web/crawl_async/firecrawl.ts'
import webCrawlTavily from './web/crawl_async/tavily.ts'
import webMapFirecrawl from './web/map/firecrawl.ts'
import webMapTavily from './web/map/tavily.ts'
import webResearchFirecrawl from './web/research_async/firecrawl.ts'
import webResearchLinkup from './web/research_async/linkup.ts'
import webResearchTavily from './web/research_async/tavily.ts'
import webScrapingFirecrawl from './web/scraping/firecrawl.ts'
import webScrapingLinkup from './web/scraping/linkup.ts'
import webScrapingTavily from './web/scraping/tavily.ts'
import webSearchFirecrawl from './web/search/firecrawl.ts'
import webSearchLinkup from './web/search/linkup.ts'
import webSearchTavily from './web/search/tavily.ts'
import webStructuredExtractionFirecrawl from './web/structured_extraction_async/firecrawl.ts'

/** The adapters of providers that make one kind of thing, by their addresses; those of the clouds are in adapters.ts. */
export const MAKER_ADAPTERS: readonly (readonly [string, Adapter | SlowAdapter])[] = [
  ['audio/speech_to_text_async/assembly', audioSpeechToTextAssembly],
  ['audio/speech_to_text_async/deepgram', audioSpeechToTextDeepgram],
  ['audio/speech_to_text_async/elevenlabs', audioSpeechToTextElevenlabs],
  ['audio/speech_to_text_async/gladia', audioSpeechToTextGladia],
  ['audio/tts/deepgram', audioTtsDeepgram],
  ['audio/tts/elevenlabs', audioTtsElevenlabs],
  ['image/ai_detection/resemble', imageAiDetectionResemble],
  ['image/ai_detection/sightengine', imageAiDetectionSightengine],
  ['image/ai_detection/winstonai', imageAiDetectionWinstonai],
  ['image/anonymization/api4ai', imageAnonymizationApi4ai],
  ['image/background_removal/api4ai', imageBackgroundRemovalApi4ai],
  ['image/background_removal/clipdrop', imageBackgroundRemovalClipdrop],
  ['image/background_removal/photoroom', imageBackgroundRemovalPhotoroom],
  ['image/background_removal/stabilityai', imageBackgroundRemovalStabilityai],
  ['image/deepfake_detection/resemble', imageDeepfakeDetectionResemble],
  ['image/deepfake_detection/sightengine', imageDeepfakeDetectionSightengine],
  ['image/explicit_content/api4ai', imageExplicitContentApi4ai],
  ['image/explicit_content/sightengine', imageExplicitContentSightengine],
  ['image/face_compare/facepp', imageFaceCompareFacepp],
  ['image/face_detection/api4ai', imageFaceDetectionApi4ai],
  ['image/face_detection/facepp', imageFaceDetectionFacepp],
  ['image/logo_detection/api4ai', imageLogoDetectionApi4ai],
  ['image/object_detection/api4ai', imageObjectDetectionApi4ai],
  ['ocr/financial_parser/affinda', ocrFinancialParserAffinda],
  ['ocr/financial_parser/base64', ocrFinancialParserBase64],
  ['ocr/financial_parser/eagledoc', ocrFinancialParserEagledoc],
  ['ocr/financial_parser/klippa', ocrFinancialParserKlippa],
  ['ocr/financial_parser/mindee', ocrFinancialParserMindee],
  ['ocr/financial_parser/veryfi', ocrFinancialParserVeryfi],
  ['ocr/identity_parser/affinda', ocrIdentityParserAffinda],
  ['ocr/identity_parser/base64', ocrIdentityParserBase64],
  ['ocr/identity_parser/klippa', ocrIdentityParserKlippa],
  ['ocr/identity_parser/mindee', ocrIdentityParserMindee],
  ['ocr/ocr/api4ai', ocrOcrApi4ai],
  ['ocr/resume_parser/affinda', ocrResumeParserAffinda],
  ['ocr/resume_parser/klippa', ocrResumeParserKlippa],
  ['text/ai_detection/sapling', textAiDetectionSapling],
  ['text/ai_detection/winstonai', textAiDetectionWinstonai],
  ['text/plagia_detection/winstonai', textPlagiaDetectionWinstonai],
  ['text/sentiment_analysis/sapling', textSentimentAnalysisSapling],
  ['text/spell_check/prowritingaid', textSpellCheckProwritingaid],
  ['text/spell_check/sapling', textSpellCheckSapling],
  ['translation/automatic_translation/deepl', translationAutomaticTranslationDeepl],
  ['translation/automatic_translation/modernmt', translationAutomaticTranslationModernmt],
  ['translation/document_translation/deepl', translationDocumentTranslationDeepl],
  ['translation/language_detection/modernmt', translationLanguageDetectionModernmt],
  ['video/deepfake_detection_async/resemble', videoDeepfakeDetectionResemble],
  ['video/generation_async/bytedance', videoGenerationBytedance],
  ['video/generation_async/minimax', videoGenerationMinimax],
  ['web/batch_scrape_async/firecrawl', webBatchScrapeFirecrawl],
  ['web/crawl_async/firecrawl', webCrawlFirecrawl],
  ['web/crawl_async/tavily', webCrawlTavily],
  ['web/map/firecrawl', webMapFirecrawl],
  ['web/map/tavily', webMapTavily],
  ['web/research_async/firecrawl', webResearchFirecrawl],
  ['web/research_async/linkup', webResearchLinkup],
  ['web/research_async/tavily', webResearchTavily],
  ['web/scraping/firecrawl', webScrapingFirecrawl],
  ['web/scraping/linkup', webScrapingLinkup],
  ['web/scraping/tavily', webScrapingTavily],
  ['web/search/firecrawl', webSearchFirecrawl],
  ['web/search/linkup', webSearchLinkup],
  ['web/search/tavily', webSearchTavily],
  ['web/structured_extraction_async/firecrawl', webStructuredExtractionFirecrawl],
]
