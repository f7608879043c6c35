import * as speech from './audio/speech.ts'
import * as transcriptions from './audio/transcriptions.ts'
import translations from './audio/translations.ts'
import * as batches from './batches.ts'
import * as batch from './batches/batch.ts'
import chatCompletions from './chat/completions.ts'
import claudeModels from './claude/models.ts'
import * as claude from './claude/metadata.ts'
import * as oauth from './claude/oauth.ts'
import claudeSettings from './claude/settings.ts'
import * as claudeTelemetry from './claude/telemetry.ts'
import completions from './completions.ts'
import * as conversations from './conversations.ts'
import * as conversation from './conversations/conversation.ts'
import * as conversationItems from './conversations/items.ts'
import * as conversationItem from './conversations/items/item.ts'
import * as device from './device.ts'
import { docs, docsAsset, docsText } from './docs.ts'
import * as embeddings from './embeddings.ts'
import { live, ready } from './health.ts'
import * as files from './files.ts'
import * as file from './files/file.ts'
import imageEdits from './images/edits.ts'
import imageGenerations from './images/generations.ts'
import imageModels from './images/models.ts'
import imageVariations from './images/variations.ts'
import * as info from './info.ts'
import key from './key.ts'
import models from './models.ts'
import model from './models/model.ts'
import * as authKeys from './manage/auth-keys.ts'
import * as managedKeys from './manage/keys.ts'
import * as managedMembers from './manage/members.ts'
import * as managedUsage from './manage/usage.ts'
import mcp from './mcp.ts'
import mcpServer from './mcp/server.ts'
import { authorize as mcpAuthorize } from './mcp/oauth/authorize.ts'
import * as mcpConsent from './mcp/oauth/consent.ts'
import { metadataRoutes as mcpMetadata } from './mcp/oauth/metadata.ts'
import * as mcpOAuth from './mcp/oauth/token.ts'
import * as moderations from './moderations.ts'
import * as rerank from './rerank.ts'
import * as ocr from './ocr.ts'
import openapi from './openapi.ts'
import responses from './responses.ts'
import responseCancel from './responses/cancel.ts'
import responseCompact from './responses/compact.ts'
import responseInputItems from './responses/input-items.ts'
import responseInputTokens from './responses/input-tokens.ts'
import * as response from './responses/response.ts'
import responseSocket from './responses/socket.ts'
import results from './results.ts'
import root from './root.ts'
import * as search from './search.ts'
import universalAi from './universal-ai.ts'
import * as jobs from './universal-ai/async.ts'
import * as collectionItems from './universal-ai/collections/items.ts'
import * as collections from './universal-ai/collections.ts'
import deleteUploads from './upload/delete.ts'
import * as uploaded from './upload/file.ts'
import * as uploads from './upload.ts'
import * as partUploads from './uploads.ts'
import messages from './v1/messages.ts'
import * as anthropicFiles from './anthropic-files.ts'
import * as anthropicFile from './anthropic-files/file.ts'
import * as modelsForAll from './v1/models.ts'
import countTokens from './v1/messages/count_tokens.ts'
import * as messageBatches from './v1/messages/batches.ts'
import * as geminiBatches from './v1beta/batches.ts'
import * as geminiFiles from './v1beta/files.ts'
import * as geminiModels from './v1beta/models.ts'
import geminiCountTokens from './v1beta/models/count-tokens.ts'
import * as embedContent from './v1beta/models/embed-content.ts'
import * as generateContent from './v1beta/models/generate-content.ts'
import * as geminiUpload from './v1beta/upload.ts'
import cohereChat from './v2/chat.ts'
import cohereEmbed from './v2/embed.ts'
import * as cohereModels from './v2/models.ts'
import cohereRerank from './v2/rerank.ts'
import * as videos from './videos.ts'
import * as unsupportedVideos from './videos/unsupported.ts'
import webhookKey from './webhooks/public-key.ts'
import webhookTimestampKey from './webhooks/public-key/ed25519.ts'
import type { Route } from '../route.ts'

/** The API, in the order of the docs page. */
export const API_ROUTES: readonly Route[] = [
  chatCompletions,
  completions,
  messages,
  responses,
  responseSocket,
  response.get,
  response.remove,
  responseInputItems,
  responseCancel,
  responseInputTokens,
  responseCompact,
  conversations.create,
  conversation.get,
  conversation.update,
  conversation.remove,
  conversationItems.create,
  conversationItems.list,
  conversationItem.get,
  conversationItem.remove,
  embeddings.create,
  embeddings.models,
  rerank.create,
  rerank.models,
  moderations.create,
  moderations.models,
  speech.create,
  speech.models,
  transcriptions.create,
  transcriptions.models,
  translations,
  generateContent.whole,
  generateContent.streamed,
  geminiCountTokens,
  embedContent.one,
  embedContent.batch,
  geminiModels.list,
  geminiModels.one,
  cohereChat,
  cohereEmbed,
  cohereRerank,
  cohereModels.list,
  cohereModels.one,
  countTokens,
  imageGenerations,
  imageEdits,
  imageVariations,
  imageModels,
  models,
  model,
  key,
  modelsForAll.list,
  modelsForAll.one,
  search.create,
  search.ofProvider,
  search.models,
  ocr.create,
  ocr.models,
  videos.create,
  videos.list,
  videos.models,
  videos.one,
  videos.content,
  videos.remove,
  unsupportedVideos.remix,
  unsupportedVideos.edits,
  unsupportedVideos.extensions,
  unsupportedVideos.characters,
  unsupportedVideos.character,
  universalAi,
  jobs.create,
  jobs.list,
  jobs.one,
  jobs.remove,
  collections.create,
  collections.list,
  collections.one,
  collections.remove,
  collectionItems.add,
  collectionItems.list,
  collectionItems.remove,
  info.features,
  info.feature,
  info.subfeature,
  uploads.upload,
  uploads.list,
  uploads.removeAll,
  deleteUploads,
  uploaded.file,
  uploaded.content,
  files.create,
  files.list,
  file.get,
  file.remove,
  file.content,
  partUploads.create,
  partUploads.addPart,
  partUploads.complete,
  partUploads.cancel,
  batches.create,
  batches.list,
  batch.get,
  batch.cancel,
  batch.remove,
  messageBatches.create,
  messageBatches.list,
  messageBatches.get,
  messageBatches.results,
  messageBatches.cancel,
  messageBatches.remove,
  geminiBatches.create,
  geminiBatches.list,
  geminiBatches.get,
  geminiBatches.cancel,
  geminiBatches.remove,
  anthropicFiles.create,
  anthropicFiles.list,
  anthropicFile.get,
  anthropicFile.content,
  anthropicFile.remove,
  geminiUpload.upload,
  geminiUpload.goOn,
  geminiFiles.list,
  geminiFiles.get,
  geminiFiles.download,
  geminiFiles.remove,
  mcp,
  mcpServer,
  ...mcpMetadata,
  mcpAuthorize,
  mcpConsent.show,
  mcpConsent.decide,
  mcpOAuth.register,
  mcpOAuth.token,
  mcpOAuth.revoke,
  claude.metadata,
  oauth.begin,
  oauth.token,
  oauth.revoke,
  claudeModels,
  claudeSettings,
  claudeTelemetry.metrics,
  claudeTelemetry.logs,
  claudeTelemetry.traces,
  claude.hello,
  device.show,
  device.step,
  device.begin,
  device.callback,
  authKeys.create,
  authKeys.list,
  authKeys.remove,
  authKeys.whoami,
  managedKeys.create,
  managedKeys.list,
  managedKeys.show,
  managedKeys.change,
  managedKeys.rotate,
  managedKeys.revoke,
  managedMembers.list,
  managedMembers.changeRole,
  managedUsage.ofOrganization,
  managedUsage.ofKey,
  webhookKey,
  webhookTimestampKey,
  results,
  live,
  ready,
  root,
  openapi,
  docs,
  docsText,
  docsAsset,
]
