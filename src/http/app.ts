import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { CurrentContext } from '../app/context.ts'
import { adminNames, originProblem } from './check-origin.ts'
import { shapeErrors } from './format-errors.ts'
import type { Health } from './health.ts'
import { routedUrl } from './paths/other-paths.ts'
import type { Route } from './services.ts'
import * as adminAliases from './routes/admin/aliases.ts'
import * as adminCredentials from './routes/admin/credentials.ts'
import * as adminConfig from './routes/admin/config.ts'
import * as adminLimits from './routes/admin/limits.ts'
import * as adminJobs from './routes/admin/jobs.ts'
import * as adminKeys from './routes/admin/keys.ts'
import explain from './routes/admin/explain.ts'
import metrics from './routes/admin/metrics.ts'
import targets from './routes/admin/targets.ts'
import usage from './routes/admin/usage.ts'
import * as speech from './routes/audio/speech.ts'
import * as transcriptions from './routes/audio/transcriptions.ts'
import chatCompletions from './routes/chat/completions.ts'
import { docs, openapi } from './routes/docs.ts'
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
import responses from './routes/responses.ts'
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
import messages from './routes/v1/messages.ts'
import * as modelsForAll from './routes/v1/models.ts'
import countTokens from './routes/v1/messages/count_tokens.ts'
import * as geminiModels from './routes/v1beta/models.ts'
import geminiCountTokens from './routes/v1beta/models/count-tokens.ts'
import * as embedContent from './routes/v1beta/models/embed-content.ts'
import * as generateContent from './routes/v1beta/models/generate-content.ts'
import webhookKey from './routes/webhooks/public-key.ts'
import webhookTimestampKey from './routes/webhooks/public-key/ed25519.ts'
import { createServer, type ServerParts } from './server.ts'

/** The API, in the order of the docs page. */
export const API_ROUTES: readonly Route[] = [
  chatCompletions,
  messages,
  responses,
  response.get,
  response.remove,
  embeddings.create,
  embeddings.models,
  moderations.create,
  moderations.models,
  speech.create,
  speech.models,
  transcriptions.create,
  transcriptions.models,
  generateContent.whole,
  generateContent.streamed,
  geminiCountTokens,
  embedContent.one,
  embedContent.batch,
  geminiModels.list,
  geminiModels.one,
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
  webhookKey,
  webhookTimestampKey,
  results,
  live,
  ready,
  root,
  openapi,
  docs,
]

/** The admin listener, which is never on the API's port. */
export const ADMIN_ROUTES: readonly Route[] = [
  adminKeys.create,
  adminKeys.list,
  adminKeys.show,
  adminKeys.update,
  adminKeys.rotate,
  adminKeys.revoke,
  adminAliases.create,
  adminAliases.list,
  adminAliases.one,
  adminAliases.change,
  adminAliases.remove,
  ...adminLimits.budgets,
  ...adminLimits.rateLimits,
  adminCredentials.list,
  adminCredentials.create,
  adminCredentials.change,
  adminCredentials.remove,
  usage,
  adminJobs.jobs,
  adminJobs.deliveries,
  adminJobs.redeliver,
  targets,
  explain,
  adminConfig.show,
  adminConfig.reload,
  metrics,
  live,
  ready,
  openapi,
  docs,
]

type ListenerParts = ServerParts & { health: Health }

export function createApi(contexts: CurrentContext, { health, ...parts }: ListenerParts): FastifyInstance {
  const api = createServer(
    { health, routes: API_ROUTES, shedsLoad: true, listener: 'api', rewriteUrl: routedUrl },
    contexts,
    parts,
  )
  api.addHook('preSerialization', shapeErrors)
  return api
}

export function createAdmin(contexts: CurrentContext, { health, ...parts }: ListenerParts): FastifyInstance {
  const refuses = (request: IncomingMessage) => originProblem(request, adminNames(contexts.current.config))
  const services = { health, routes: ADMIN_ROUTES, shedsLoad: false, listener: 'admin' as const, refuses }
  return createServer(services, contexts, parts)
}
