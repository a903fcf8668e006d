// The search of the web site that script/site makes, by section. It stands in for Sphinx's own, which finds pages only.
// Sphinx's page loads this file, then the stemmer and the stop words (language_data.js), then searchindex.js, which
// calls Search.setIndex() with all sections: [page, title of the page, heading, anchor, names that its tables explain,
// text].
//
// The rank of a section is BM25 over its text, and more for a word in its heading, in the title of its page, or explained
// in its tables. Only the sections with the most words of the query are shown.
'use strict';

var Search = {
  // Pages about the project itself, indexes, and whole programs rank below a chapter with the same contents.
  weight: page => (/^examples\//.test(page) ? 0.3 : /^(CHANGELOG|CONTRIBUTING|SECURITY|doc\/README|indexer\/(README|CHANGELOG))$/.test(page) ? 0.4 : 1),

  // A name is also found by its parts, and the parts by the name.
  words(text) {
    const found = [];
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
      found.push(this.stem(word));
      if (word.includes('_')) for (const part of word.split('_')) if (part) found.push(this.stem(part));
    }
    return found;
  },

  stem(word) {
    if (!this.stems.has(word)) this.stems.set(word, /^[a-z]+$/.test(word) ? this.stemmer.stemWord(word) : word);
    return this.stems.get(word);
  },

  setIndex(sections) {
    this.stems = new Map();
    this.stemmer = new Stemmer();
    this.sections = sections.map(([page, title, heading, anchor, names, text]) => {
      const counts = new Map(), all = this.words(text);
      for (const word of all) counts.set(word, (counts.get(word) || 0) + 1);
      const [inTitle, inHeading, inNames] = [title, heading, names].map(part => new Set(this.words(part)));
      return { page, title, heading, anchor, text, counts, length: all.length, inTitle, inHeading, inNames };
    });
    this.average = this.sections.reduce((sum, section) => sum + section.length, 0) / this.sections.length;
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => this.show());
    else this.show();
  },

  // The sections, best first.
  find(query) {
    const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [])];
    let wanted = words.filter(word => !stopwords.includes(word));
    if (!wanted.length) wanted = words;
    wanted = wanted.map(word => {
      const stem = this.stem(word), has = section => section.counts.has(stem) || section.inTitle.has(stem) || section.inHeading.has(stem);
      let spellings = new Set([stem]);
      // a word that does not occur may be the beginning of others
      if (word.length > 2 && !this.sections.some(has))
        for (const section of this.sections)
          for (const other of [...section.counts.keys(), ...section.inHeading]) if (other.startsWith(word)) spellings.add(other);
      return spellings;
    });
    const found = this.sections.map(section => ({ section, score: 0, matched: 0 }));
    for (const spellings of wanted) {
      const sum = (section, of) => [...spellings].reduce((total, word) => total + of(section, word), 0);
      const inText = found.map(({ section }) => sum(section, (s, word) => s.counts.get(word) || 0));
      const more = found.map(({ section }) =>
        sum(section, (s, word) => 3 * s.inHeading.has(word) + 3 * s.inNames.has(word) + (s.anchor ? 0.5 : 2) * s.inTitle.has(word)));
      const many = found.filter((_, i) => inText[i] || more[i]).length;
      const rarity = Math.log(1 + (found.length - many + 0.5) / (many + 0.5));
      found.forEach((entry, i) => {
        if (!inText[i] && !more[i]) return;
        entry.matched++;
        const long = 0.4 + 0.6 * entry.section.length / this.average;
        entry.score += rarity * (inText[i] * 2.2 / (inText[i] + 1.2 * long) + more[i]) * this.weight(entry.section.page);
      });
    }
    const most = Math.max(...found.map(entry => entry.matched));
    return !most ? [] : found.filter(entry => entry.matched === most).sort((a, b) => b.score - a.score).slice(0, 30)
      .map(({ section }) => ({ section, wanted }));
  },

  // A piece of the text, around the first place with the most search words close together, with these marked.
  excerpt(text, wanted) {
    const box = document.createElement('p'), words = [...text.matchAll(/[\p{L}\p{N}_]+/gu)];
    if (!words.length) return box;
    const which = words.map(([word]) => { const parts = this.words(word); return wanted.findIndex(s => parts.some(part => s.has(part))); });
    let first = 0, most = 0;
    which.forEach((one, i) => {
      const many = one < 0 ? 0 : new Set(which.slice(i, i + 20).filter(other => other >= 0)).size;
      if (many > most) [first, most] = [i, many];
    });
    const from = first < 12 ? 0 : words[first - 12].index, last = words[Math.min(first + 24, words.length - 1)];
    let at = from;
    if (from) box.append('… ');
    for (const [i, match] of words.entries()) {
      if (match.index < from || match.index > last.index || which[i] < 0) continue;
      const mark = document.createElement('mark');
      mark.textContent = match[0];
      box.append(text.slice(at, match.index), mark);
      at = match.index + match[0].length;
    }
    box.append(text.slice(at, last.index + last[0].length), last === words[words.length - 1] ? '' : ' …');
    return box;
  },

  show() {
    const query = (new URLSearchParams(location.search).get('q') || '').trim(), results = document.getElementById('search-results');
    for (const input of document.querySelectorAll('input[name=q]')) input.value = query;
    if (!results || !query) return;
    const found = this.find(query), heading = document.createElement('h2'), list = document.createElement('ul');
    heading.textContent = found.length ? `Sections with “${query}”` : `Nothing was found for “${query}”`;
    list.className = 'search';
    for (const { section, wanted } of found) {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = `${section.page}.html${section.anchor && '#' + section.anchor}`;
      link.textContent = section.anchor ? `${section.title}: ${section.heading}` : section.title;
      item.append(link, this.excerpt(section.text, wanted));
      list.append(item);
    }
    results.append(heading, list);
  },
};
