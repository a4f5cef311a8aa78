"""Operations that change something: each is one transaction, or one for each thing it names."""
