import type { FastifyReply, FastifyRequest } from 'fastify'
import { FeatureInfo, FeatureList, TaskInfo } from '../../contract/info.ts'
import Type from '../../schema/type.ts'
import { describeFeature, describeTask, listFeatures } from '../../universal/discovery.ts'
import { sendWithEtag, UNCHANGED } from '../cached/etag.ts'
import { readWord } from '../query.ts'
import type { HttpServices, Route } from '../services.ts'

const common = { method: 'GET', access: 'key', scope: 'universal' } as const

export const features: Route = {
  ...common,
  path: '/v3/info',
  summary: 'All tasks',
  replies: {
    200: {
      description:
        'All features, their subfeatures and their providers. `by_models` says which kind of models can do a task, too.',
      schema: FeatureList,
    },
    304: UNCHANGED,
  },
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    return sendWithEtag(request, reply, listFeatures(request.caller, context))
  },
}

export const feature: Route = {
  ...common,
  path: '/v3/info/{feature}',
  summary: 'The tasks of one feature',
  replies: {
    200: {
      description: 'The feature. `by_models` says which kind of models can do a task, too.',
      schema: FeatureInfo,
    },
    304: UNCHANGED,
  },
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { feature } = request.params as { feature: string }
    return sendWithEtag(request, reply, describeFeature(feature, request.caller, context))
  },
}

export const subfeature: Route = {
  ...common,
  path: '/v3/info/{feature}/{subfeature}',
  summary: 'One task: its fields, an example, its providers',
  query: Type.Object({
    format: Type.Optional(
      Type.Enum(['simplified', 'json_schema'], { default: 'simplified', description: 'The format of the fields.' }),
    ),
  }),
  replies: {
    200: { description: 'The task. `by_models` says which kind of models can do it, too.', schema: TaskInfo },
    304: UNCHANGED,
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { feature, subfeature } = request.params as { feature: string; subfeature: string }
    const { format } = request.query as { format?: string }
    const chosen = readWord('format', format, ['simplified', 'json_schema'], 'simplified')
    return sendWithEtag(request, reply, await describeTask({ feature, subfeature }, chosen, request.caller, context))
  },
}
