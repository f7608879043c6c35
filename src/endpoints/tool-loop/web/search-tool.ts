import type { Call } from '../../../calls/call.ts'
import type { CallServices } from '../../../calls/services/call-services.ts'
import { Problem } from '../../../contract/problems.ts'
import type { SearchSettings } from '../../../platform/config/search-settings.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { WebWish } from '../../../translation/formats/gateway/wishes.ts'
import { doTask } from '../../universal/do-task.ts'
import { prepareTask } from '../../universal/prepare-task.ts'
import type { GatewayTool, Source, ToolOutcome } from '../gateway-tool.ts'
import { type Domains, isWithin } from './domains.ts'

const MAX_RESULTS = 8
const MAX_QUERY_CHARS = 400
const MAX_PASSAGE_CHARS = 2_000

/** The web search of the gateway, for models that have none of their own. */
export function searchTool(wish: WebWish, settings: SearchSettings, services: CallServices): GatewayTool {
  const domains = { allowed: wish.allowedDomains, blocked: wish.blockedDomains }
  return {
    kind: 'search',
    functionName: 'gatehouse_web_search',
    name: 'web_search',
    server: '',
    description: `Search the web. Cite what you use as Markdown links to the addresses of the results.${placeOf(wish)}`,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for.' } },
      required: ['query'],
    },
    needsApproval: false,
    maxUses: wish.maxUses,
    run: async (input, call) => {
      const query = textOf(input.query).slice(0, MAX_QUERY_CHARS)
      if (query.trim() === '') return { text: 'The query is empty.', isError: true }
      return await searchWithin({ query, domains, settings }, call, services)
    },
  }
}

function placeOf({ location = {} }: WebWish): string {
  const place = ['city', 'region', 'country', 'timezone'].map((name) => textOf(location[name])).filter(Boolean)
  return place.length > 0 ? ` The user is here: ${place.join(', ').slice(0, 300)}.` : ''
}

type Search = { query: string; domains: Domains; settings: SearchSettings }

/** Not every engine can be told about domains. What is found is checked in any case. */
async function searchWithin(search: Search, call: Call, services: CallServices) {
  const { allowed, blocked } = search.domains
  const filters = {
    ...(allowed.length > 0 && { include_domains: allowed }),
    ...(blocked.length > 0 && { exclude_domains: blocked }),
  }
  if (allowed.length + blocked.length === 0) return await searchOnce(search, filters, call, services)
  try {
    return await searchOnce(search, filters, call, services)
  } catch (error) {
    if (!(error instanceof Problem) || !UNABLE.has(error.status)) throw error
    return await searchOnce(search, {}, call, services)
  }
}

/** A request that the engine cannot take as it is. */
const UNABLE: ReadonlySet<number> = new Set([400, 422])

async function searchOnce(
  { query, domains, settings: { engine, fallback } }: Search,
  filters: Fields,
  call: Call,
  services: CallServices,
): Promise<ToolOutcome> {
  const input = { query, max_results: MAX_RESULTS, ...filters }
  const request = { model: `web/search/${engine}`, input, fallbacks: fallback ? [fallback] : [] }
  const asOperator = { ...call, caller: ofOperator(call) }
  const prepared = await prepareTask(request, asOperator, services)
  const { result } = await doTask(prepared, asOperator, services)
  return outcomeOf(recordOf(result.output), domains)
}

/** The operator has chosen the engine for all chats, so no scope of a key is needed for it. The data policy holds for it too. */
function ofOperator({ caller }: Call): Call['caller'] {
  return { ...caller, scopes: null, policy: caller.policy && { ...caller.policy, models: [], endpoints: null } }
}

function outcomeOf({ results }: Fields, domains: Domains): ToolOutcome {
  const found = recordsIn(results)
    .filter(({ url }) => isWithin(textOf(url), domains))
    .slice(0, MAX_RESULTS)
  if (found.length === 0) return { text: 'Nothing was found.', sources: [] }
  const sources = found.map(({ url, title }): Source => ({ url: textOf(url), title: textOf(title) || textOf(url) }))
  const texts = found.map(({ content }, at) => {
    const { url, title } = sources[at]!
    return `${at + 1}. ${title}\n${url}\n${textOf(content).slice(0, MAX_PASSAGE_CHARS)}`
  })
  return { text: texts.join('\n\n'), sources }
}
