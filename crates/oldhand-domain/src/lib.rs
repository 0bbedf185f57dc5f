//! The words of the house: values, invariants and the ports.
