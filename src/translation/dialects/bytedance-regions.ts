const CHINA = '.volces.com'
const IN_CHINA = 'doubao-'
/** The families of models that both regions have; endpoints (`ep-…`) belong to an account. */
const FAMILIES = /^(doubao-)?(seed(ream|ance|edit)?-)/

export function isInChina(address: string): boolean {
  return URL.parse(address)?.hostname.endsWith(CHINA) ?? false
}

/** The name of a model at the host that is asked: `doubao-seedance-…` in China, `seedance-…` at BytePlus. */
export function regionalModel(model: string, address: string): string {
  if (!FAMILIES.test(model)) return model
  const name = model.replace(IN_CHINA, '')
  return isInChina(address) ? `${IN_CHINA}${name}` : name
}
