import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  { languageOptions: { ecmaVersion: 2025, sourceType: 'module', globals: globals.node } },
  // a function is no longer than a screen
  { files: ['src/**', 'bin/**'], rules: { 'max-lines-per-function': ['error', { max: 60 }] } },
];
