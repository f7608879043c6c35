/** How many cases a test tries: a few under `npm test`, all of them under `npm run soak`. */
export function sample(few: number, all: number): number {
  return process.env.GATEHOUSE_SOAK ? all : few
}
