# frozen_string_literal: true

require "deltafold"

stream = Deltafold.events(File.open("examples/streams/tour.sse", "rb"))
stream.each do |event|
  case event
  when Deltafold::Event::OutputTextDelta then print event.delta
  when Deltafold::Event::Extension, Deltafold::Event::Unknown then warn "kept: #{event.type}"
  end
end

puts
stream.response.items.select { |item| item.type == "function_call" }.each { |call| puts "#{call.name} #{call.arguments}" }
puts "#{stream.outcome}, #{stream.findings.size} findings"
# The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
# get_forecast {"place":"Port-Brun","day":"2026-04-25"}
# find_trains {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
# completed, 0 findings
