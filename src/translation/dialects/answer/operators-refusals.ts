import { kindOfStatus, type ProblemKind } from '../../wire/upstream-problem.ts'

// Many providers answer 400 also if nothing is wrong with the request: their customer has no credit or an invalid key, they do not
// serve the model, or the model has written something invalid. Another provider may answer then.

const BY_CODE: ReadonlyMap<string, ProblemKind> = new Map<string, ProblemKind>([
  ...['billing_hard_limit_reached', 'billing_not_active', 'account_deactivated', 'organization_restricted'].map(
    ofAccount,
  ),
  ...['arrearage', 'unsupported_country_region_territory', 'request_forbidden'].map(ofAccount),
  ...['model_decommissioned', 'model_not_available', 'invalid_model'].map(ofModel),
  ...['deploymentnotfound', 'operationnotsupported'].map(ofModel),
  ...['tool_use_failed', 'json_validate_failed', 'output_parse_failed'].map((code) => [code, 'rejected'] as const),
])

function ofAccount(code: string) {
  return [code, 'auth'] as const
}

function ofModel(code: string) {
  return [code, 'model_not_found'] as const
}

/** Only how a sentence begins: what follows may repeat words of the caller. */
const BY_WORDS: readonly (readonly [RegExp, ProblemKind])[] = [
  [
    new RegExp(
      `^(${[
        ...['(incorrect|invalid|expired) api[ -]key', 'api[ -]key (not valid|expired|is invalid|has expired)'],
        ...['(your|the|this)? ?(account|organization|workspace|project) (is|has been|must be) (\\w+ )?\\w+ed\\b'],
        ...[
          'insufficient (account )?(balance|credits?|funds|quota)',
          'billing hard limit',
          'access denied, please make',
        ],
        ...['country, region, or territory not supported', 'user location is not supported'],
        ...['the security token included', 'you are using a trial key'],
      ].join('|')})`,
      'i',
    ),
    'auth',
  ],
  [
    new RegExp(
      `^(${[
        ...['model not exist', 'invalid model\\b', 'unknown model\\b', 'unable to access (non-serverless )?model\\b'],
        '(the )?(requested )?model [^ ]{1,200} (has been (decommissioned|deprecated|retired)|does not exist|not found|is not (available|found))',
        ...['[^ ]{1,200} is not a valid model', 'the api deployment for this resource'],
        'the \\w{1,50} operation does not work with the specified model',
      ].join('|')})`,
      'i',
    ),
    'model_not_found',
  ],
]

/** The kind of a failure by its status, if that is not 400 or 422; by its codes or its sentence otherwise. */
export function kindOfRefusal(status: number, message: string, codes: readonly unknown[] = []): ProblemKind {
  const byStatus = kindOfStatus(status)
  if (byStatus !== 'bad_request') return byStatus
  for (const code of codes) {
    const kind = typeof code === 'string' ? BY_CODE.get(code.toLowerCase()) : undefined
    if (kind) return kind
  }
  return BY_WORDS.find(([words]) => words.test(message))?.[1] ?? byStatus
}
