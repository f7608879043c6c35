import type { CallServices } from '../../calls/services/call-services.ts'
import type { Call } from '../../calls/call.ts'
import type { SearchReply, SearchRequest } from '../../contract/search.ts'
import { maxResultsOf } from '../../contract/search.ts'
import { problem } from '../../contract/problems.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { valueError } from '../../base/schema/issue-messages.ts'
import type { Static } from '../../base/schema/type.ts'
import webSearch from '../../translation/tasks/web/search/feature.ts'
import { shortModels } from '../universal/discovery.ts'
import { universal } from '../universal/universal.ts'

const TASK = 'web/search'

/** The task `web/search` in the format of Perplexity's search API. */
export async function search(
  body: SearchRequest,
  inPath: string | undefined,
  call: Call,
  services: CallServices,
): Promise<SearchReply> {
  const model = `${TASK}/${providerOf(body, inPath, call, services)}`
  const { query, country, fallbacks, search_domain_filter } = body
  const filters = domainsOf(search_domain_filter ?? [])
  const input = { query, max_results: maxResultsOf(body), country, ...filters }
  const { provider, cost, output } = await universal({ model, input, fallbacks }, call, services)
  // The output has been checked against the schema of the task.
  const { results } = output as Static<(typeof webSearch)['output']>
  return { id: call.id, results: (results ?? []).map(shown), provider, cost }
}

/** The providers that the caller can search with. */
export function searchModels({ caller }: Pick<Call, 'caller'>, services: CallServices) {
  return shortModels(webSearch, caller, services)
}

function providerOf({ model }: SearchRequest, inPath: string | undefined, call: Call, services: CallServices): string {
  const inBody = model?.startsWith(`${TASK}/`) ? model.slice(TASK.length + 1) : model
  if (inBody && inPath && inBody !== inPath)
    throw refused(`The path names the provider '${shortened(inPath)}', and \`model\` names '${shortened(inBody)}'.`)
  const named = inPath ?? inBody
  if (named) return named
  const ids = searchModels(call, services).data.map(({ id }) => id)
  throw refused(`Name a provider in \`model\` or in the path. Providers: ${ids.join(', ')}.`)
}

function refused(message: string) {
  return problem('validation_error', { message, status: 400, param: 'model' })
}

function shortened(name: string): string {
  return name.slice(0, 100)
}

/** A filter names what to search, or what to leave out: no provider's answer would keep both promises in the same way. */
function domainsOf(filter: readonly string[]) {
  const excluded = filter.filter((domain) => domain.startsWith('-')).map((domain) => domain.slice(1))
  const included = filter.filter((domain) => !domain.startsWith('-'))
  if (excluded.length > 0 && included.length > 0) {
    const msg = 'Either every domain should begin with -, or none'
    throw validationProblemOf([valueError(['body', 'search_domain_filter'], msg)])
  }
  return {
    ...(included.length > 0 && { include_domains: included }),
    ...(excluded.length > 0 && { exclude_domains: excluded }),
  }
}

type Hit = NonNullable<Static<(typeof webSearch)['output']>['results']>[number]

function shown({ title, url, content }: Hit): SearchReply['results'][number] {
  return { title: title ?? '', url, snippet: content ?? '', date: null, last_updated: null }
}
