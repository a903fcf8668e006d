// PostGraphile over the typed views of ../views.sql, as the role reader. Each step prints its name, a tab, and ok or
// what is wrong. What is expected comes from the demo's records themselves.
import { readFileSync } from 'node:fs'
import { graphql } from 'graphql'
import pg from 'pg'
import { createPostGraphileSchema, withPostGraphileContext } from 'postgraphile'
import filter from 'postgraphile-plugin-connection-filter'

const records = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const of = (collection) => records.filter((r) => r.collection === collection)
  .map((r) => ({ uri: `at://${r.did}/${r.collection}/${r.rkey}`, ...r }))
const posts = of('app.bsky.feed.post')
const likes = of('app.bsky.feed.like')

const same = (a, b) => {
  const [left, right] = [a, b].map((value) => JSON.stringify(value))
  if (left !== right) throw new Error(`${left.slice(0, 300)} instead of ${right.slice(0, 300)}`)
}
const tell = async (name, step) => {
  let result = 'ok'
  try {
    await step()
  } catch (error) {
    result = `error ${error.message.split('\n')[0]}`
  }
  console.log(`${name}\t${result}`)
}

// What the engine sends. The tables are too small to need an index.
const sent = []
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (text, ...rest) {
  sent.push(typeof text === 'string' ? { text } : text)
  return query.call(this, text, ...rest)
}
const pool = new pg.Pool({ user: 'reader', options: '-c enable_seqscan=off -c enable_bitmapscan=off' })
const schema = await createPostGraphileSchema(pool, ['api'], { appendPlugins: [filter], dynamicJson: true })
const ask = async (source, variables) => {
  sent.length = 0
  const { data, errors } = await withPostGraphileContext({ pgPool: pool },
    (context) => graphql(schema, source, null, context, variables))
  if (errors) throw errors[0]
  return data
}

const timeline = `query ($after: Cursor, $before: Datetime!) {
  allAppBskyFeedPosts(first: 20, after: $after, orderBy: CREATED_AT_DESC, filter: { createdAt: { lessThan: $before } }) {
    nodes {
      uri text createdAt authorHandle accountByDid { handle }
      appBskyFeedPostByReplyParentUri { uri }
      appBskyFeedLikesBySubjectUri { totalCount }
    }
    pageInfo { endCursor hasNextPage }
  }
}`
const before = posts.map((p) => p.record.createdAt).sort()[Math.floor(posts.length / 2)]
const expected = posts.filter((p) => p.record.createdAt < before)
let statement

await tell('a timeline', async () => {
  const { nodes } = (await ask(timeline, { before })).allAppBskyFeedPosts
  statement = sent.filter(({ text }) => /app_bsky_feed_post/.test(text))
  same(nodes.length, 20)
  const times = nodes.map((n) => Date.parse(n.createdAt))
  same(times, expected.map((p) => Date.parse(p.record.createdAt)).sort((a, b) => b - a).slice(0, 20))
  for (const node of nodes) {
    const post = posts.find((p) => p.uri === node.uri)
    same([node.text, node.authorHandle, node.accountByDid.handle],
      [post.record.text, post.did.replaceAll(':', '.'), post.did.replaceAll(':', '.')])
    same(node.appBskyFeedPostByReplyParentUri?.uri, post.record.reply?.parent.uri)
    same(node.appBskyFeedLikesBySubjectUri.totalCount, likes.filter((l) => l.record.subject.uri === post.uri).length)
  }
})
await tell('in one statement', () => same(statement.length, 1))
await tell('by the indexes', async () => {
  const plan = (await pool.query({ ...statement[0], name: undefined, rowMode: 'array', text: `EXPLAIN ${statement[0].text}` })).rows.join('\n')
  for (const index of ['app_bsky_feed_post_created_at', 'app_bsky_feed_like_subject_uri', 'account_pkey'])
    if (!plan.includes(index)) throw new Error(`${index} is not in the plan: ${plan.replaceAll('\n', ';')}`)
})
await tell('pages', async () => {
  const found = []
  for (let after = null, more = true; more;) {
    const page = (await ask(timeline, { before, after })).allAppBskyFeedPosts
    found.push(...page.nodes.map((n) => n.uri))
    after = page.pageInfo.endCursor
    more = page.pageInfo.hasNextPage
  }
  same(found.sort(), expected.map((p) => p.uri).sort())
})
await tell('likes', async () => {
  const { nodes } = (await ask('{ allAppBskyFeedLikes { nodes { uri appBskyFeedPostBySubjectUri { uri } } } }')).allAppBskyFeedLikes
  const uris = posts.map((p) => p.uri)
  same(nodes.map((n) => [n.uri, n.appBskyFeedPostBySubjectUri?.uri ?? null]).sort(),
    likes.map((l) => [l.uri, uris.includes(l.record.subject.uri) ? l.record.subject.uri : null]).sort())
})
await tell('follows and profiles', async () => {
  const data = await ask('{ allAppBskyGraphFollows { nodes { did subject } } allAppBskyActorProfiles { nodes { did displayName } } }')
  same(data.allAppBskyGraphFollows.nodes.map((n) => [n.did, n.subject]).sort(),
    of('app.bsky.graph.follow').map((f) => [f.did, f.record.subject]).sort())
  same(data.allAppBskyActorProfiles.nodes.map((n) => [n.did, n.displayName]).sort(),
    of('app.bsky.actor.profile').map((p) => [p.did, p.record.displayName ?? null]).sort())
})
await tell('a Lexicon of one\'s own', async () => {
  const reports = of('com.example.weather.report')
  const { nodes } = (await ask('{ allComExampleWeatherReports { nodes { rkey windForce } } }')).allComExampleWeatherReports
  same(nodes.map((n) => [n.rkey, Number(n.windForce)]).sort(), reports.map((r) => [r.rkey, r.record.windForce]).sort())
})
await tell('the source', async () => {
  const { code } = await pool.query('SELECT FROM views.source').catch((error) => error)
  same(code, '42501')
})
await pool.end()
