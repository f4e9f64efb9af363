# frozen_string_literal: true

require_relative "lib/deltafold/version"

# Packed from the folder that bindings/uniffi/build.sh writes, with the generated code and the native library.
Gem::Specification.new do |spec|
  spec.name = "deltafold"
  spec.version = Deltafold::VERSION
  spec.summary = "Reads, checks, writes and converts the event streams of language models"
  spec.description = "Feed it the bytes of an LLM response stream, split anywhere; get every event, the response so far, and a " \
                     "list of everything that is wrong with the stream. It opens no socket."
  spec.authors = ["The deltafold authors"]
  spec.homepage = "https://github.com/deltafold/deltafold"
  spec.licenses = ["MIT", "Apache-2.0"]
  spec.required_ruby_version = ">= 3.0"
  # The gem contains a native library, so it is built for one platform.
  spec.platform = Gem::Platform::CURRENT
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*", "README.md", "LICENSE-*"] }
  spec.require_paths = ["lib"]
  spec.metadata = {
    "source_code_uri" => spec.homepage,
    "changelog_uri" => "#{spec.homepage}/blob/main/CHANGELOG.md",
    "rubygems_mfa_required" => "true"
  }
  spec.add_dependency "ffi", "~> 1.15"
end
