import { FeatureInfo, FeatureList, TaskInfo } from '../../contract/info.ts'
import Type from '../../base/schema/type.ts'
import { describeFeature, describeTask, listFeatures } from '../../endpoints/universal/discovery.ts'
import { sendWithEtag, UNCHANGED } from '../cached/etag.ts'
import { route } from '../define-route.ts'

const common = { method: 'GET', access: 'key', scope: 'universal' } as const

export const features = route({
  ...common,
  path: '/v3/info',
  summary: 'List all tasks',
  replies: {
    200: {
      description:
        'All features, their subfeatures and their providers. `by_models` says which kind of models can do a task, too.',
      schema: FeatureList,
    },
    304: UNCHANGED,
  },
  handle: (request, reply, services) => {
    return sendWithEtag(request, reply, listFeatures(request.caller, services.calls))
  },
})

export const feature = route({
  ...common,
  path: '/v3/info/{feature}',
  summary: 'List the tasks of a feature',
  replies: {
    200: {
      description: 'The feature. `by_models` says which kind of models can do a task, too.',
      schema: FeatureInfo,
    },
    304: UNCHANGED,
  },
  handle: (request, reply, services) => {
    const { feature } = request.params
    return sendWithEtag(request, reply, describeFeature(feature, request.caller, services.calls))
  },
})

export const subfeature = route({
  ...common,
  path: '/v3/info/{feature}/{subfeature}',
  summary: 'Get a task',
  description: 'Its fields, an example and its providers.',
  query: Type.Object({
    format: Type.Optional(
      Type.Enum(['simplified', 'json_schema'], { default: 'simplified', description: 'The format of the fields.' }),
    ),
  }),
  replies: {
    200: { description: 'The task. `by_models` says which kind of models can do it, too.', schema: TaskInfo },
    304: UNCHANGED,
  },
  handle: async (request, reply, services) => {
    const { feature, subfeature } = request.params
    const { format = 'simplified' } = request.query
    return sendWithEtag(
      request,
      reply,
      await describeTask({ feature, subfeature }, format, request.caller, services.calls),
    )
  },
})
