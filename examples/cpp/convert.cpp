// Converts a stream in a file to another dialect, and prints the report on lost data:  convert FILE DIALECT

#include <deltafold.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string stream{std::istreambuf_iterator<char>(file), {}};
    try {
        deltafold::Converter converter("{\"to\":\"" + std::string(argv[2]) + "\",\"options\":{\"now\":1767225600}}");
        std::cout << converter.feed(stream);
        std::cout << converter.finish();
        std::cerr << converter.report() << '\n';
    } catch (const deltafold::Error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
