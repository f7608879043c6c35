import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { adminNames, originProblem } from './admin/check-origin.ts'
import { shapeErrors } from './format-errors.ts'
import type { Health } from './health.ts'
import { routedUrl } from './paths/other-paths.ts'
import { noteRefusals } from './admin/refusal-log.ts'
import { ADMIN_ROUTES } from './routes/admin-routes.ts'
import type { ActiveServices, Route } from './services.ts'
import * as speech from './routes/audio/speech.ts'
import * as transcriptions from './routes/audio/transcriptions.ts'
import translations from './routes/audio/translations.ts'
import chatCompletions from './routes/chat/completions.ts'
import completions from './routes/completions.ts'
import * as conversations from './routes/conversations.ts'
import * as conversation from './routes/conversations/conversation.ts'
import * as conversationItems from './routes/conversations/items.ts'
import * as conversationItem from './routes/conversations/items/item.ts'
import { docs, docsAsset, docsText } from './routes/docs.ts'
import * as embeddings from './routes/embeddings.ts'
import { live, ready } from './routes/health.ts'
import * as files from './routes/files.ts'
import * as file from './routes/files/file.ts'
import imageEdits from './routes/images/edits.ts'
import imageGenerations from './routes/images/generations.ts'
import imageModels from './routes/images/models.ts'
import imageVariations from './routes/images/variations.ts'
import * as info from './routes/info.ts'
import key from './routes/key.ts'
import models from './routes/models.ts'
import model from './routes/models/model.ts'
import * as moderations from './routes/moderations.ts'
import * as rerank from './routes/rerank.ts'
import openapi from './routes/openapi.ts'
import responses from './routes/responses.ts'
import responseCancel from './routes/responses/cancel.ts'
import responseCompact from './routes/responses/compact.ts'
import responseInputItems from './routes/responses/input-items.ts'
import responseInputTokens from './routes/responses/input-tokens.ts'
import * as response from './routes/responses/response.ts'
import results from './routes/results.ts'
import root from './routes/root.ts'
import universalAi from './routes/universal-ai.ts'
import * as jobs from './routes/universal-ai/async.ts'
import * as collectionItems from './routes/universal-ai/collections/items.ts'
import * as collections from './routes/universal-ai/collections.ts'
import deleteUploads from './routes/upload/delete.ts'
import * as uploaded from './routes/upload/file.ts'
import * as uploads from './routes/upload.ts'
import * as partUploads from './routes/uploads.ts'
import messages from './routes/v1/messages.ts'
import * as anthropicFiles from './routes/anthropic-files.ts'
import * as anthropicFile from './routes/anthropic-files/file.ts'
import * as modelsForAll from './routes/v1/models.ts'
import countTokens from './routes/v1/messages/count_tokens.ts'
import * as geminiModels from './routes/v1beta/models.ts'
import geminiCountTokens from './routes/v1beta/models/count-tokens.ts'
import * as embedContent from './routes/v1beta/models/embed-content.ts'
import * as generateContent from './routes/v1beta/models/generate-content.ts'
import cohereChat from './routes/v2/chat.ts'
import cohereEmbed from './routes/v2/embed.ts'
import cohereRerank from './routes/v2/rerank.ts'
import webhookKey from './routes/webhooks/public-key.ts'
import webhookTimestampKey from './routes/webhooks/public-key/ed25519.ts'
import { createServer, type ServerParts } from './server.ts'

/** The API, in the order of the docs page. */
export const API_ROUTES: readonly Route[] = [
  chatCompletions,
  completions,
  messages,
  responses,
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
  anthropicFiles.create,
  anthropicFiles.list,
  anthropicFile.get,
  anthropicFile.content,
  anthropicFile.remove,
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

type ListenerParts = ServerParts & { health: Health }

export function createApi(active: ActiveServices, { health, ...parts }: ListenerParts): FastifyInstance {
  const api = createServer(
    { health, routes: API_ROUTES, shedsLoad: true, listener: 'api', rewriteUrl: routedUrl },
    active,
    parts,
  )
  api.addHook('preSerialization', shapeErrors)
  return api
}

export function createAdmin(active: ActiveServices, { health, ...parts }: ListenerParts): FastifyInstance {
  const refuses = (request: IncomingMessage) => originProblem(request, adminNames(active.current.calls.config))
  const services = {
    health,
    routes: ADMIN_ROUTES,
    apiRoutes: API_ROUTES,
    shedsLoad: false,
    listener: 'admin' as const,
    refuses,
  }
  const admin = createServer(services, active, parts)
  admin.addHook('onSend', noteRefusals(active, parts.log))
  return admin
}
