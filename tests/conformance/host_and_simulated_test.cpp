#include "source_suite.hpp"
#include <bfc/source/host_source.hpp>
#include <bfc/source/simulated_source.hpp>

#include <catch2/catch.hpp>

TEST_CASE("host memory keeps the contract of a source") {
  bfc::test::check_source_contract(bfc::make_host_source);
}

TEST_CASE("simulated memory keeps the contract of a source") {
  bfc::test::check_source_contract([] { return bfc::make_simulated_source(); });
}
